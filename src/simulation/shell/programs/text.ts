/** Programs that read a text and print a part of it: cat, head, tail, wc, grep, tee, sort and uniq. */

import { posix } from "node:path";
import { deviceOf, FileError, type ProgramCall, type ShellProgram } from "../host.ts";
import { nothing, type OutputSink, readAll, readChunk, type Source, sourceOf, write } from "../streams.ts";
import type { Run } from "../wait.ts";
import { complains, onlyOptions, optionsOf, prints } from "./answers.ts";

/** Bytes that these programs hold at once. */
export const heldBytesMax = 16 * 1024 * 1024;

function openFile(call: ProgramCall, given: string): Source | undefined {
  if (given === "-" || given === "/dev/stdin") return call.streams.stdin;
  const path = posix.resolve(call.folder, given);
  if (path === "/dev/null") return nothing;
  const data = call.host.files.read(path);
  return data && sourceOf(data);
}

/** Why a file cannot be read. */
function missing(call: ProgramCall, given: string): string {
  const kind = call.host.files.kind(posix.resolve(call.folder, given));
  return kind === "folder" ? `read error: Is a directory` : `can't open '${given}': No such file or directory`;
}

/** The text of all files, or of the input. */
function* textOf(call: ProgramCall, paths: readonly string[]): Run<{ readonly text: string; readonly code: number }> {
  const parts: string[] = [];
  let code = 0;
  for (const given of paths.length === 0 ? ["-"] : paths) {
    const source = openFile(call, given);
    if (source === undefined) code = yield* complains(call, missing(call, given));
    else parts.push((yield* readAll(source, heldBytesMax)).toString());
  }
  return { text: parts.join(""), code };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

export const cat: ShellProgram = {
  name: "cat",
  understands: onlyOptions("u"),
  *run(call) {
    let code = 0;
    const { rest } = optionsOf(call.args);
    for (const given of rest.length === 0 ? ["-"] : rest) {
      const source = openFile(call, given);
      if (source === undefined) {
        code = yield* complains(call, missing(call, given));
        continue;
      }
      for (let data = yield* readChunk(source); data !== undefined; data = yield* readChunk(source))
        yield* write(call.streams.stdout, data);
    }
    return code;
  },
};

/** `-n 5`, `-n5` and `-5`; the rest are files. */
function countOf(args: readonly string[]): {
  readonly count: number;
  readonly isBytes: boolean;
  readonly follows: boolean;
  readonly rest: readonly string[];
} {
  let [count, isBytes, follows] = [10, false, false];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (/^-[fF]$/.test(arg)) follows = true;
    else if (/^-[nc]$/.test(arg)) {
      isBytes = arg === "-c";
      count = Number(args[++at]) || 0;
    } else if (/^-[nc]?\d+$/.test(arg)) {
      isBytes = arg.startsWith("-c");
      count = Number(/\d+/.exec(arg)?.[0]);
    } else rest.push(arg);
  }
  return { count, isBytes, follows, rest };
}

const understandsCount = (args: readonly (string | undefined)[]): boolean =>
  args.every((arg) => arg === undefined || !/^-./.test(arg) || /^-(?:[nc]?\d*|[fF])$/.test(arg));

export const head: ShellProgram = {
  name: "head",
  understands: understandsCount,
  *run(call) {
    const { count, isBytes, rest } = countOf(call.args);
    const { text, code } = yield* textOf(call, rest);
    return yield* prints(call, isBytes ? text.slice(0, count) : joined(linesOf(text).slice(0, count)), code);
  },
};

/** How often `tail -f` looks at its file. */
const followMs = 1_000;

export const tail: ShellProgram = {
  name: "tail",
  understands: understandsCount,
  *run(call) {
    const { count, isBytes, follows, rest } = countOf(call.args);
    const { text, code } = yield* textOf(call, rest);
    const shown = isBytes
      ? text.slice(Math.max(0, text.length - count))
      : joined(count === 0 ? [] : linesOf(text).slice(-count));
    yield* write(call.streams.stdout, shown);
    if (!follows) return code;
    const path = posix.resolve(call.folder, rest.at(-1) ?? "/dev/null");
    if (path === "/dev/null" || code !== 0) {
      if (code !== 0) return code;
      yield { at: "time", ms: Number.POSITIVE_INFINITY };
    }
    for (let size = call.host.files.sizeOf(path); ; ) {
      yield { at: "time", ms: call.host.nowMs() + followMs };
      const now = call.host.files.sizeOf(path);
      if (now > size) yield* write(call.streams.stdout, call.host.files.read(path)?.subarray(size) ?? Buffer.alloc(0));
      size = now;
    }
  },
};

export const wc: ShellProgram = {
  name: "wc",
  understands: onlyOptions("lcw"),
  *run(call) {
    const { letters, rest } = optionsOf(call.args);
    const { text, code } = yield* textOf(call, rest);
    const counts = {
      l: text.split("\n").length - 1,
      w: text.split(/\s+/).filter((word) => word !== "").length,
      c: Buffer.byteLength(text),
    };
    const wanted = (["l", "w", "c"] as const).filter((letter) => letters === "" || letters.includes(letter));
    const shown = wanted.map((letter) => counts[letter]).join(" ");
    return yield* prints(call, `${[shown, ...rest].join(" ")}\n`, code);
  },
};

/** Expressions could take for ever, so only plain texts are searched for, at the begin or end of a line where `^` or `$` says so. */
const isPlain = (pattern: string): boolean => !/[.*[\]\\+?(){}|]/.test(pattern.replace(/^\^/, "").replace(/\$$/, ""));

export const grep: ShellProgram = {
  name: "grep",
  understands(args) {
    if (!onlyOptions("qvcinFwxsE")(args)) return false;
    const at = args.findIndex((arg) => arg === undefined || !/^-./.test(arg));
    const pattern = args[at];
    return pattern === undefined || isPlain(pattern) || args.slice(0, at).some((arg) => arg?.includes("F"));
  },
  *run(call) {
    const {
      letters,
      rest: [pattern = "", ...paths],
    } = optionsOf(call.args);
    const isFixed = letters.includes("F");
    if (!isFixed && !isPlain(pattern)) return yield* complains(call, `the pattern '${pattern}' is not understood`, 2);
    const { text, code } = yield* textOf(call, paths);
    const fold = (one: string) => (letters.includes("i") ? one.toLowerCase() : one);
    const atBegin = !isFixed && pattern.startsWith("^");
    const atEnd = !isFixed && pattern.endsWith("$");
    const wanted = fold(pattern.slice(atBegin ? 1 : 0, atEnd ? -1 : undefined));
    const isMatch = (line: string) => {
      if (letters.includes("x") || (atBegin && atEnd)) return line === wanted;
      if (letters.includes("w")) return line.split(/\W+/).includes(wanted);
      return atBegin ? line.startsWith(wanted) : atEnd ? line.endsWith(wanted) : line.includes(wanted);
    };
    const found = linesOf(text).filter((line) => isMatch(fold(line)) !== letters.includes("v"));
    if (letters.includes("c")) yield* write(call.streams.stdout, `${found.length}\n`);
    else if (!letters.includes("q")) yield* write(call.streams.stdout, joined(found));
    return found.length > 0 ? 0 : code === 0 ? 1 : 2;
  },
};

export const tee: ShellProgram = {
  name: "tee",
  understands: onlyOptions("a"),
  *run(call) {
    const { letters, rest } = optionsOf(call.args);
    const { files } = call.host;
    const sinks: OutputSink[] = rest.map((given) => {
      const path = posix.resolve(call.folder, given);
      if (path === "/dev/null") return nothing;
      const device = deviceOf(path, call.streams, call.host);
      if (device !== undefined) return device;
      try {
        files.write(path, Buffer.alloc(0), letters.includes("a") ? "append" : "replace");
      } catch (error) {
        if (error instanceof FileError) throw new FileError(`${given}: ${error.message}`);
        throw error;
      }
      return { write: (data) => files.write(path, data, "append") };
    });
    const { stdin, stdout } = call.streams;
    for (let data = yield* readChunk(stdin); data !== undefined; data = yield* readChunk(stdin))
      for (const sink of [stdout, ...sinks]) yield* write(sink, data);
    return 0;
  },
};

export const sort: ShellProgram = {
  name: "sort",
  understands: onlyOptions("rnu"),
  *run(call) {
    const { letters, rest } = optionsOf(call.args);
    const { text, code } = yield* textOf(call, rest);
    const byNumber = (a: string, b: string) => (Number.parseFloat(a) || 0) - (Number.parseFloat(b) || 0);
    const lines = linesOf(text).sort(letters.includes("n") ? byNumber : undefined);
    if (letters.includes("r")) lines.reverse();
    return yield* prints(call, joined(letters.includes("u") ? [...new Set(lines)] : lines), code);
  },
};

export const uniq: ShellProgram = {
  name: "uniq",
  understands: onlyOptions(""),
  *run(call) {
    const { text, code } = yield* textOf(call, call.args);
    return yield* prints(call, joined(linesOf(text).filter((line, at, all) => line !== all[at - 1])), code);
  },
};
