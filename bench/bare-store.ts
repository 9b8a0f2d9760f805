/** The bare embedded store: the same bytes from the same number of writers, without a server around it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedKv } from "../src/kv/embedded/embedded.ts";

export interface BareStoreResult {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** Arguments: writers, seconds, bytes of one value. Prints a BareStoreResult. */
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
  const cpuBefore = process.cpuUsage();
  await Promise.all(Array.from({ length: Number(writers) }, write));
  const { user, system } = process.cpuUsage(cpuBefore);
  const perSecond = puts / ((performance.now() - start) / 1000);
  const result: BareStoreResult = { perSecond, cpuMicros: (user + system) / puts };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await kv.close();
  rmSync(folder, { recursive: true, force: true });
}
