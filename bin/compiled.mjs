/**
 * The commands and the library as V8 has compiled it before: reading and compiling our own text is a fifth of a start. The build makes it for
 * the Node that runs the build (scripts/compile.mjs); for any other, or without it, the program is loaded as usual.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

export const programFile = fileURLToPath(new URL("../dist/compiled/orch.cjs", import.meta.url));

/** What the program exports; undefined: there is nothing compiled that fits. */
export function loadCompiled() {
  try {
    const text = readFileSync(programFile);
    const script = compile(text, readFileSync(compiledFile(text)));
    return script.cachedDataRejected ? undefined : run(script);
  } catch (error) {
    if (error?.code === "ENOENT") return undefined;
    throw error;
  }
}

/** V8 itself compares no more than the length of a text, so the name of the file holds its digest. */
export function compiledFile(text) {
  return join(dirname(programFile), `${createHash("sha256").update(text).digest("hex").slice(0, 32)}.v8`);
}

/** The text must import nothing as it runs: a script that was kept has lost whom to ask. The build sees to that. */
export function compile(text, cachedData) {
  return new Script(`(function (exports, require, module, __filename) {${text}\n})`, {
    filename: programFile,
    cachedData,
  });
}

export function run(script) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(programFile), module, programFile);
  return module.exports;
}
