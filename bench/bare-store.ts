/** The bare embedded store: the same bytes from the same number of writers, without a server around it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedKv } from "../src/kv/embedded/embedded.ts";

/** Arguments: writers, seconds, bytes of one value. Prints puts a second. */
export async function runBareStore([writers = "", seconds = "", bytes = ""]: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-store-"));
  const kv = await openEmbeddedKv({ folder: join(folder, "store") });
  const value = Buffer.alloc(Number(bytes), "x");
  const end = performance.now() + Number(seconds) * 1000;
  let puts = 0;
  const write = async () => {
    while (performance.now() < end) await kv.put(`pods/bench/pod-${puts++}`, Buffer.from(value), 0n);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: Number(writers) }, write));
  process.stdout.write(`${puts / ((performance.now() - start) / 1000)}\n`);
  await kv.close();
  rmSync(folder, { recursive: true, force: true });
}
