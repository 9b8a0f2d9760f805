/** The commands that change the shell itself, in one list. */

import { posix } from "node:path";
import { type ShellTask, signalOf } from "./host.ts";
import { textCharsMax } from "./limits.ts";
import { Jump, type Shell, ShellError, ShellExit } from "./shell.ts";
import { readChunk, type Streams, write } from "./streams.ts";
import type { Run } from "./wait.ts";

interface BuiltinCall {
  readonly shell: Shell;
  readonly args: readonly string[];
  readonly streams: Streams;
  /** Runs a text as a part of the script. */
  runText(text: string): Run;
  /** Runs a command with its arguments. */
  runWords(words: readonly string[]): Run;
}

type Builtin = (call: BuiltinCall) => Run;

const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text);

// biome-ignore lint/correctness/useYield: there is nothing to wait for
function* done(code = 0): Run {
  return code;
}

function* refused({ streams, shell }: BuiltinCall, message: string, code = 1): Run {
  yield* write(streams.stderr, `${shell.name}: ${message}\n`);
  return code;
}

const list: Readonly<Record<string, Builtin>> = {
  ":": () => done(),
  // biome-ignore lint/correctness/useYield: it ends the shell
  *exit({ shell, args: [code] }) {
    throw new ShellExit(code === undefined ? shell.lastCode : Number(code) & 255);
  },
  // biome-ignore lint/correctness/useYield: it ends the function
  *return({ shell, args: [code] }) {
    throw new Jump("return", code === undefined ? shell.lastCode : Number(code) & 255);
  },
  break: ({ shell, args: [count = "1"] }) => jump(shell, "break", count),
  continue: ({ shell, args: [count = "1"] }) => jump(shell, "continue", count),
  *cd(call) {
    const { shell, args } = call;
    const path = posix.resolve(shell.folder, args[0] ?? shell.value("HOME") ?? "/root");
    if (shell.host.files.kind(path) !== "folder")
      return yield* refused(call, `cd: can't cd to ${args[0] ?? path}: No such file or directory`);
    shell.folder = path;
    shell.set("PWD", path);
    return 0;
  },
  *pwd({ shell, streams }) {
    yield* write(streams.stdout, `${shell.folder}\n`);
    return 0;
  },
  *export(call) {
    const { shell, args, streams } = call;
    if (args.length === 0 || args[0] === "-p") {
      const lines = [...shell.environment()].map(([name, value]) => `export ${name}='${value}'\n`);
      yield* write(streams.stdout, lines.join(""));
      return 0;
    }
    for (const arg of args) {
      const [name = "", ...value] = arg.split("=");
      if (!isName(name)) return yield* refused(call, `export: ${name}: bad variable name`, 2);
      if (arg.includes("=")) shell.set(name, value.join("="));
      shell.exported.add(name);
    }
    return 0;
  },
  *local(call) {
    // Without a scope of their own: the variables of functions stay.
    for (const arg of call.args) {
      const [name = "", ...value] = arg.split("=");
      if (!isName(name)) return yield* refused(call, `local: ${name}: bad variable name`, 2);
      if (arg.includes("=")) call.shell.set(name, value.join("="));
    }
    return 0;
  },
  unset({ shell, args }) {
    for (const name of args) {
      shell.variables.delete(name);
      shell.exported.delete(name);
      shell.functions.delete(name);
    }
    return done();
  },
  *set(call) {
    const { shell, args } = call;
    const letters = { e: "errexit", u: "nounset", x: "xtrace" } as const;
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? "";
      if (arg === "--") {
        shell.args = args.slice(at + 1);
        return 0;
      }
      if (!/^[-+]/.test(arg)) {
        shell.args = args.slice(at);
        return 0;
      }
      const isOn = arg.startsWith("-");
      if (arg.slice(1) === "o") {
        const long = args[++at] ?? "";
        if (long === "errexit" || long === "nounset" || long === "xtrace") shell.options[long] = isOn;
        else if (long !== "pipefail") return yield* refused(call, `set: illegal option -o ${long}`, 2);
        continue;
      }
      for (const letter of arg.slice(1)) {
        if (!(letter in letters)) return yield* refused(call, `set: illegal option ${arg}`, 2);
        shell.options[letters[letter as keyof typeof letters]] = isOn; // it is one of them
      }
    }
    return 0;
  },
  shift({ shell, args: [count = "1"] }) {
    shell.args = shell.args.slice(Number(count) || 0);
    return done();
  },
  eval: ({ args, runText }) => runText(args.join(" ")),
  *source(call) {
    const {
      shell,
      args: [file = ""],
      runText,
    } = call;
    const data = shell.host.files.read(shell.path(file));
    if (data === undefined) return yield* refused(call, `can't open '${file}': No such file or directory`, 2);
    return yield* runText(data.toString());
  },
  *exec({ shell, args, runWords }) {
    if (args.length === 0) return 0;
    shell.traps.clear();
    shell.task.handler = undefined;
    throw new ShellExit(yield* runWords(args), false);
  },
  *command({ args, runWords, shell, streams }) {
    if (args[0] !== "-v") return args.length === 0 ? 0 : yield* runWords(args);
    const name = args[1] ?? "";
    if (!builtins.has(name) && !shell.functions.has(name) && shell.host.program(name) === undefined) return 1;
    yield* write(streams.stdout, `${name}\n`);
    return 0;
  },
  *trap(call) {
    const { shell, args, streams } = call;
    if (args.length === 0) {
      yield* write(streams.stdout, [...shell.traps].map(([name, text]) => `trap -- '${text}' ${name}\n`).join(""));
      return 0;
    }
    const [action = "", ...names] = args[0] === "--" ? args.slice(1) : args;
    for (const text of names.length === 0 ? [action] : names) {
      const signal = text === "EXIT" || text === "0" ? "EXIT" : signalOf(text);
      if (signal === undefined) return yield* refused(call, `trap: ${text}: invalid signal specification`);
      if (names.length === 0 || action === "-") shell.traps.delete(signal);
      else shell.traps.set(signal, action);
    }
    return 0;
  },
  *wait({ shell, args }) {
    const wanted = args.length === 0 ? shell.background : args.flatMap((pid) => taskOf(shell, pid) ?? []);
    const isOver = () => wanted.every(({ exitCode }) => exitCode !== undefined);
    if (!isOver()) yield { at: "until", isReady: () => isOver() || shell.pending.length > 0 };
    // A signal with a trap ends the wait.
    if (shell.pending.length > 0) return 128 + 15;
    return args.length === 0 ? 0 : (wanted.at(-1)?.exitCode ?? 127);
  },
  *read({ shell, args, streams: { stdin } }) {
    const names = args.filter((arg) => !arg.startsWith("-"));
    let text = "";
    let hasLine = false;
    while (!hasLine) {
      const chunk = yield* readChunk(stdin);
      if (chunk === undefined) break;
      const end = chunk.indexOf(10);
      hasLine = end >= 0;
      text += chunk.subarray(0, hasLine ? end : undefined).toString();
      if (text.length > textCharsMax) throw new ShellError("read: line is too long");
      if (hasLine && end + 1 < chunk.length) stdin.unread(chunk.subarray(end + 1));
    }
    const words = text.trim().split(/[ \t]+/);
    for (const [at, name] of (names.length === 0 ? ["REPLY"] : names).entries())
      shell.set(name, at === names.length - 1 ? words.slice(at).join(" ") : (words[at] ?? ""));
    return hasLine ? 0 : 1;
  },
  *jobs({ shell, streams }) {
    const running = shell.background.filter(({ exitCode }) => exitCode === undefined);
    yield* write(streams.stdout, running.map((_, at) => `[${at + 1}] Running\n`).join(""));
    return 0;
  },
  *kill(call) {
    const { shell, args } = call;
    const [first = "", ...rest] = args;
    const isNamed = /^-/.test(first);
    const pids = first === "-s" ? rest.slice(1) : isNamed ? rest : args;
    const text = first === "-s" ? (rest[0] ?? "") : isNamed ? first.slice(1) : "TERM";
    const signal = signalOf(text);
    if (signal === undefined && text !== "0") return yield* refused(call, `kill: bad signal name '${text}'`);
    let code = 0;
    for (const pid of pids) {
      const task = taskOf(shell, pid);
      if (task === undefined) code = yield* refused(call, `kill: can't kill pid ${pid}: No such process`);
      else if (signal !== undefined) task.signal(signal);
    }
    yield { at: "step" };
    return code;
  },
};

/** By number, or `%1` of a command in the background. */
function taskOf(shell: Shell, text: string): ShellTask | undefined {
  if (text.startsWith("%")) return shell.background[Number(text.slice(1)) - 1];
  return shell.background.find(({ pid }) => String(pid) === text) ?? shell.host.find(Number(text));
}

// biome-ignore lint/correctness/useYield: it leaves the loop
function* jump(shell: Shell, to: "break" | "continue", count: string): Run {
  if (shell.loops > 0) throw new Jump(to, Math.max(1, Number(count) || 1));
  return 0;
}

/** By name. */
export const builtins: ReadonlyMap<string, Builtin> = new Map([...Object.entries(list), [".", list["source"]!]]);
