/**
 * The commands and the library as V8 has compiled it before: reading and compiling our own text is a fifth of a start. The build makes it for
 * the Node that runs the build (scripts/compile.mjs); for any other, or without it, the program is loaded as usual.
 */

const { isAscii } = require("node:buffer");
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

/** The files of one program: its text, and what was compiled of it, behind its seal. */
function filesOf(program) {
  const file = (ending) => join(__dirname, `../dist/compiled/${program}.${ending}`);
  return { text: file("cjs"), compiled: file("v8") };
}

/** What the program exports; undefined: there is nothing compiled that fits. */
function loadCompiled(program = "orch") {
  try {
    const files = filesOf(program);
    const text = readFileSync(files.text);
    const sealed = readFileSync(files.compiled);
    const compiled = sealed.subarray(sealBytes);
    if (!seal(text, compiled).equals(sealed.subarray(0, sealBytes))) return undefined;
    const script = compile(text, files.text, compiled);
    return script.cachedDataRejected ? undefined : run(script, files.text);
  } catch (error) {
    if (error?.code === "ENOENT") return undefined;
    throw error;
  }
}

const sealBytes = 12;

/**
 * A checksum of the text, one of what was compiled, and one of the Node that compiled it. V8 compares too little itself: of a text its
 * length, of a machine nothing, and what comes from another kind of machine or was damaged on the way ends the process. A digest that
 * also withstands an attacker would take twenty times as long and protect nothing: who can write these files can write the program.
 */
function seal(text, compiled) {
  const sums = Buffer.alloc(sealBytes);
  for (const [at, part] of [`${process.version} ${process.platform} ${process.arch}`, text, compiled].entries())
    sums.writeUInt32LE(crc32(part), 4 * at);
  return sums;
}

/** The text must import nothing as it runs: a script that was kept has lost whom to ask. The build sees to that. */
function compile(text, filename, cachedData) {
  // The build prints ASCII, whose bytes need not be decoded: that takes a tenth of the time and half of the memory.
  const source = isAscii(text) ? text.latin1Slice() : text.toString();
  // The function is added here, though it copies the text: with less in the old generation at this time V8 sets a lower limit
  // for it, and the first server of a process pays for a full collection (30 ms of CPU).
  return new Script(`(function (exports, require, module, __filename) {${source}\n})`, { filename, cachedData });
}

function run(script, filename) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(filename), module, filename);
  return module.exports;
}

module.exports = { filesOf, loadCompiled, seal, compile, run };
