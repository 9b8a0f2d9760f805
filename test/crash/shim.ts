/** Compiles a shim between a child process and its system: its disk, or its clock. */

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";

/** The path of the compiled shim, which belongs to the caller; undefined: it is not available here, and the reason was printed. */
export function compileShim(file = "test/crash/disk-shim.c"): string | undefined {
  const folder = join(process.cwd(), ".cache", "kv");
  mkdirSync(folder, { recursive: true });
  const out = join(folder, `${basename(file, ".c")}-${randomUUID()}.so`);
  const source = join(process.cwd(), file);
  const done = spawnSync("gcc", [
    "-O1",
    "-Wall",
    "-Wextra",
    "-shared",
    "-fPIC",
    "-o",
    out,
    source,
    "-ldl",
    "-lpthread",
  ]);
  if (process.platform === "linux" && done.status === 0) return out;
  const advice = "gcc on Linux is needed; on Debian run: apt-get install gcc libc6-dev";
  if (process.env["CI"] === "true") throw new Error(`${advice}\n${done.stderr ?? done.error}`);
  console.warn(`The tests with ${basename(file)} are skipped: ${advice}`);
  return undefined;
}
