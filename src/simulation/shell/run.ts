/** Runs a script, command by command. */

import { builtins } from "./builtins.ts";
import { type Capture, expandPattern, expandText, expandWords } from "./expand.ts";
import { matches, patternOf } from "./glob.ts";
import { deviceOf, FileError, type ShellProgram, type Signal, TooManyTasks } from "./host.ts";
import { depthMax, textCharsMax } from "./limits.ts";
import { parseScript } from "./parse.ts";
import { NotUnderstood } from "./parse-word.ts";
import { Jump, type Shell, ShellError, ShellExit, ShellLimit } from "./shell.ts";
import { BrokenPipe, nothing, type OutputSink, Pipe, type Source, type Streams, sourceOf, write } from "./streams.ts";
import type { AndOr, CommandList, CommandPipeline, Redirect, ShellCommand, SimpleCommand } from "./syntax.ts";
import { type Run, step } from "./wait.ts";

/** The exit code of a command that is not found, of one that a broken pipe ends, and of a script with an error. */
const notFoundCode = 127;
const brokenPipeCode = 141;
const errorCode = 2;

/** Runs a whole script, with its trap at the exit, and returns its exit code. */
export function* runScript(shell: Shell, list: CommandList, streams: Streams): Run {
  shell.task.handler = (signal) => catches(shell, signal);
  let code: number;
  let hasTraps = true;
  try {
    code = yield* runList(shell, list, streams);
  } catch (error) {
    if (error instanceof ShellExit) [code, hasTraps] = [error.code, error.hasTraps];
    else if (error instanceof Jump) code = error.to === "return" ? error.count : 0;
    else code = yield* failed(shell, streams, error);
  }
  const last = shell.traps.get("EXIT");
  if (!hasTraps || last === undefined) return code;
  shell.traps.delete("EXIT");
  shell.lastCode = code;
  try {
    yield* runText(shell, last, streams);
  } catch (error) {
    if (error instanceof ShellExit) return error.code;
    yield* failed(shell, streams, error);
  }
  return code;
}

/** What scripts can cause becomes a message and an exit code; everything else is a bug. */
export function* failed(shell: Shell, streams: Streams, error: unknown): Run {
  if (error instanceof BrokenPipe) return brokenPipeCode;
  if (error instanceof ShellLimit) return errorCode; // the outer shell tells it
  const isKnown = [ShellError, NotUnderstood, FileError, TooManyTasks].some((one) => error instanceof one);
  if (!isKnown || !(error instanceof Error)) throw error;
  yield* write(streams.stderr, `${shell.name}: ${error.message}\n`);
  return errorCode;
}

function catches(shell: Shell, signal: Signal): boolean {
  if (signal === "KILL" || !shell.traps.has(signal)) return false;
  shell.pending.push(signal);
  return true;
}

/** Text that is part of a script: of a trap, or of `eval`. */
function* runText(shell: Shell, text: string, streams: Streams): Run {
  return yield* runList(shell, parseScript(text), streams);
}

export function* runList(shell: Shell, list: CommandList, streams: Streams): Run {
  let code = 0;
  for (const { andOr, isBackground } of list.items) {
    if (isBackground) {
      const part: CommandList = { items: [{ andOr, isBackground: false }] };
      const started = shell.host.start((task) => runScript(shell.fork(task), part, { ...streams, stdin: nothing }));
      shell.lastBackground = started;
      shell.background.push(started);
      code = 0;
    } else code = yield* runAndOr(shell, andOr, streams);
    shell.lastCode = code;
  }
  return code;
}

function* runAndOr(shell: Shell, { first, rest }: AndOr, streams: Streams): Run {
  let code = yield* guarded(shell, rest.length > 0, () => runPipeline(shell, first, streams));
  for (const [at, { operator, pipeline }] of rest.entries()) {
    if ((operator === "&&") !== (code === 0)) continue;
    shell.lastCode = code;
    code = yield* guarded(shell, at < rest.length - 1, () => runPipeline(shell, pipeline, streams));
  }
  return code;
}

function* guarded(shell: Shell, isCondition: boolean, run: () => Run): Run {
  if (!isCondition) return yield* run();
  shell.guards++;
  try {
    return yield* run();
  } finally {
    shell.guards--;
  }
}

function* runPipeline(shell: Shell, { isNegated, commands }: CommandPipeline, streams: Streams): Run {
  const [only, ...others] = commands;
  const run = () =>
    others.length === 0 && only !== undefined ? runCommand(shell, only, streams) : runPipes(shell, commands, streams);
  const code = yield* guarded(shell, isNegated, run);
  yield* runTraps(shell, streams);
  if (isNegated) return code === 0 ? 1 : 0;
  if (code !== 0 && shell.options.errexit && shell.guards === 0) throw new ShellExit(code);
  return code;
}

/** Each command is a process of its own; the last one decides. */
function* runPipes(shell: Shell, commands: readonly ShellCommand[], streams: Streams): Run {
  let stdin: Source = streams.stdin;
  const tasks = commands.map((command, at) => {
    const input = stdin;
    const pipe = at < commands.length - 1 ? new Pipe() : undefined;
    const io: Streams = { stdin: input, stdout: pipe ?? streams.stdout, stderr: streams.stderr };
    const list: CommandList = {
      items: [{ andOr: { first: { isNegated: false, commands: [command] }, rest: [] }, isBackground: false }],
    };
    stdin = pipe ?? nothing;
    return shell.host.start(function* (task) {
      try {
        return yield* runScript(shell.fork(task), list, io);
      } finally {
        pipe?.end();
        if (at > 0 && input instanceof Pipe) input.close();
      }
    });
  });
  yield { at: "until", isReady: () => tasks.every(({ exitCode }) => exitCode !== undefined) };
  return tasks.at(-1)?.exitCode ?? 0;
}

/** The traps of signals that came since the last command. */
function* runTraps(shell: Shell, streams: Streams): Run<void> {
  for (let signal = shell.pending.shift(); signal !== undefined; signal = shell.pending.shift()) {
    const text = shell.traps.get(signal);
    if (text === undefined) continue;
    const { lastCode } = shell;
    yield* runText(shell, text, streams);
    shell.lastCode = lastCode;
  }
}

function* runCommand(shell: Shell, command: ShellCommand, streams: Streams): Run {
  yield step;
  if (command.at === "simple") return yield* runSimple(shell, command, streams);
  let io: Streams;
  try {
    io = yield* redirected(shell, command.redirects, streams);
  } catch (error) {
    return yield* refusedFile(shell, streams, error);
  }
  switch (command.at) {
    case "group":
      return yield* runList(shell, command.body, io);
    case "subshell":
      return yield* runScriptInside(shell, command.body, io);
    case "function":
      shell.functions.set(command.name, command.body);
      return 0;
    case "if":
      for (const { condition, body } of command.branches) {
        const code = yield* guarded(shell, true, () => runList(shell, condition, io));
        shell.lastCode = code;
        if (code === 0) return yield* runList(shell, body, io);
      }
      return command.otherwise === undefined ? 0 : yield* runList(shell, command.otherwise, io);
    case "while": {
      let code = 0;
      yield* looped(shell, function* () {
        const met = yield* guarded(shell, true, () => runList(shell, command.condition, io));
        shell.lastCode = met;
        if ((met === 0) === command.isUntil) return false;
        code = yield* runList(shell, command.body, io);
        return true;
      });
      return code;
    }
    case "for": {
      const words = command.words && (yield* expandWords(command.words, shell, captureOf(shell, io)));
      const left = [...(words ?? shell.args)].reverse();
      let code = 0;
      yield* looped(shell, function* () {
        const word = left.pop();
        if (word === undefined) return false;
        shell.set(command.name, word);
        code = yield* runList(shell, command.body, io);
        return true;
      });
      return code;
    }
    case "case": {
      const capture = captureOf(shell, io);
      const text = yield* expandText(command.word, shell, capture);
      for (const { patterns, body } of command.branches)
        for (const pattern of patterns) {
          const chars = patternOf(yield* expandPattern(pattern, shell, capture));
          yield { at: "step", bytes: text.length * Math.max(1, chars.length) };
          if (matches(chars, text)) return yield* runList(shell, body, io);
        }
      return 0;
    }
  }
}

/** Calls until it returns false, or until `break`. */
function* looped(shell: Shell, round: () => Run<boolean>): Run<void> {
  shell.loops++;
  try {
    for (;;) {
      yield step;
      try {
        if (!(yield* round())) return;
      } catch (error) {
        if (!(error instanceof Jump) || error.to === "return") throw error;
        if (--error.count > 0 && shell.loops > 1) throw error;
        if (error.to === "break") return;
      }
    }
  } finally {
    shell.loops--;
  }
}

/** `( … )`: its changes of variables and its exit stay inside. */
function* runScriptInside(shell: Shell, list: CommandList, streams: Streams): Run {
  const { handler } = shell.task;
  try {
    return yield* runScript(shell.fork(), list, streams);
  } finally {
    shell.task.handler = handler;
  }
}

const captureOf = (shell: Shell, streams: Streams): Capture =>
  function* (list) {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stdout: OutputSink = {
      write(data) {
        bytes += data.length;
        if (bytes > textCharsMax) throw new ShellLimit("the output of $(…) is too long");
        chunks.push(data);
      },
    };
    shell.lastCode = yield* runScriptInside(shell, list, { ...streams, stdout });
    if (bytes > textCharsMax) throw new ShellError("the output of $(…) is too long");
    return Buffer.concat(chunks).toString().replace(/\n+$/, "");
  };

function* runSimple(shell: Shell, command: SimpleCommand, streams: Streams): Run {
  const capture = captureOf(shell, streams);
  shell.lastCode = command.words.length === 0 ? 0 : shell.lastCode;
  const words = yield* expandWords(command.words, shell, capture);
  const given: [string, string][] = [];
  for (const { name, value } of command.assignments) {
    const text = yield* expandText(value, shell, capture);
    given.push([name, text]);
    if (words.length === 0) shell.set(name, text);
  }
  let io: Streams;
  try {
    io = yield* redirected(shell, command.redirects, streams);
  } catch (error) {
    return yield* refusedFile(shell, streams, error);
  }
  if (shell.options.xtrace) {
    const shown = [...given.map(([name, value]) => `${name}=${value}`), ...words];
    yield* write(streams.stderr, `+ ${shown.join(" ")}\n`);
  }
  if (words.length === 0) return shell.lastCode;
  return yield* runWords(shell, words, io, given);
}

/** One command with its arguments: of the shell itself, a function of the script, or a program. */
export function* runWords(
  shell: Shell,
  words: readonly string[],
  streams: Streams,
  given: readonly (readonly [string, string])[] = [],
): Run {
  const [name = "", ...args] = words;
  const builtin = builtins.get(name);
  if (builtin !== undefined) {
    for (const [key, value] of given) shell.set(key, value);
    return yield* builtin({
      shell,
      args,
      streams,
      runText: (text) => runText(shell, text, streams),
      runWords: (more) => runWords(shell, more, streams),
    });
  }
  const called = shell.functions.get(name);
  if (called !== undefined) return yield* callFunction(shell, called, args, streams);
  const program = programOf(shell, name);
  if (program === undefined) {
    yield* write(streams.stderr, `${shell.name}: ${name}: not found\n`);
    return notFoundCode;
  }
  const { host, task, folder, depth } = shell;
  const environment = new Map([...shell.environment(), ...given]);
  try {
    return yield* program.run({ name, args, environment, folder, streams, host, task, depth: depth + 1 });
  } catch (error) {
    // What a shell writes itself ends the shell; other programs are processes of their own.
    if (error instanceof BrokenPipe && name !== "echo" && name !== "printf") return brokenPipeCode;
    if (!(error instanceof FileError || error instanceof ShellError)) throw error;
    yield* write(streams.stderr, `${name}: ${error.message}\n`);
    return 1;
  }
}

const programFolders = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"];

/** By name, or by a path in one of the usual folders. */
export function programName(word: string): string {
  const folder = programFolders.find((one) => word.startsWith(one));
  const name = folder === undefined ? word : word.slice(folder.length);
  return name;
}

/** A file of the container is a script. */
function programOf(shell: Shell, word: string): ShellProgram | undefined {
  const found = shell.host.program(programName(word));
  if (found !== undefined) return found;
  if (!word.includes("/") || shell.host.files.kind(shell.path(word)) !== "file") return undefined;
  const sh = shell.host.program("sh");
  return sh && { name: word, run: (call) => sh.run({ ...call, args: [word, ...call.args] }) };
}

function* callFunction(shell: Shell, body: ShellCommand, args: readonly string[], streams: Streams): Run {
  const before = shell.args;
  if (++shell.calls > depthMax) throw new ShellError("calls are nested too deeply");
  shell.args = args;
  try {
    return yield* runCommand(shell, body, streams);
  } catch (error) {
    if (error instanceof Jump && error.to === "return") return error.count;
    throw error;
  } finally {
    shell.calls--;
    shell.args = before;
  }
}

function* redirected(shell: Shell, redirects: readonly Redirect[], streams: Streams): Run<Streams> {
  const io = { ...streams };
  for (const { fd, operator, target } of redirects) {
    const text = yield* expandText(target, shell, captureOf(shell, streams));
    if (operator === "<<") io.stdin = sourceOf(Buffer.from(text));
    else if (operator === "<") io.stdin = openForRead(shell, text);
    else {
      const sink = operator === ">&" ? (text === "1" ? io.stdout : io.stderr) : openForWrite(shell, io, text, operator);
      if (fd === 2) io.stderr = sink;
      else io.stdout = sink;
    }
  }
  return io;
}

function openForRead(shell: Shell, text: string): Source {
  const path = shell.path(text);
  if (path === "/dev/null") return nothing;
  const data = shell.host.files.read(path);
  if (data === undefined) throw new FileError(`can't open ${text}: no such file`);
  return sourceOf(data);
}

function openForWrite(shell: Shell, streams: Streams, text: string, operator: ">" | ">>"): OutputSink {
  const path = shell.path(text);
  if (path === "/dev/null") return nothing;
  const device = deviceOf(path, streams, shell.host);
  if (device !== undefined) return device;
  const { files } = shell.host;
  try {
    files.write(path, Buffer.alloc(0), operator === ">" ? "replace" : "append");
  } catch (error) {
    if (error instanceof FileError) throw new FileError(`can't create ${text}: ${error.message}`);
    throw error;
  }
  return { write: (data) => files.write(path, data, "append") };
}

function* refusedFile(shell: Shell, streams: Streams, error: unknown): Run {
  if (!(error instanceof FileError)) throw error;
  yield* write(streams.stderr, `${shell.name}: ${error.message}\n`);
  return 1;
}
