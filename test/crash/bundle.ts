/** Builds a child program of the tests: Node cannot run our sources directly, and LMDB must be resolved from the project. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Returns the path of the built program, inside the project so that `lmdb` resolves. `entry` is relative to the project. */
export async function bundleChild(entry: string): Promise<string> {
  const folder = join(process.cwd(), ".cache", "kv");
  mkdirSync(folder, { recursive: true });
  const name = entry.replaceAll(/[^a-z0-9]+/g, "-");
  const outfile = join(folder, `${name}-${process.pid}-${Math.random().toString(36).slice(2)}.mjs`);
  await build({
    entryPoints: [join(process.cwd(), entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["lmdb", "pg"],
    logLevel: "error",
  });
  return outfile;
}
