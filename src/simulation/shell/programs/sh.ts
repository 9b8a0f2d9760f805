/** `sh` and the other names of the shell. */

import { posix } from "node:path";
import type { ProgramCall, ShellProgram } from "../host.ts";
import { runInteractive } from "../interactive.ts";
import { scriptCharsMax } from "../limits.ts";
import { parseScript } from "../parse.ts";
import { NotUnderstood } from "../parse-word.ts";
import { runScript } from "../run.ts";
import { Shell, ShellError } from "../shell.ts";
import { readAll } from "../streams.ts";
import type { CommandList } from "../syntax.ts";
import type { Run } from "../wait.ts";
import { complains } from "./answers.ts";

/** `sh [-eux] -c SCRIPT [NAME [ARG…]]`, `sh FILE [ARG…]`, `sh` with a script as its input, and `sh -i` with somebody who types. */
export const sh: ShellProgram = {
  name: "sh",
  *run(call) {
    const { letters, script, name, args } = shellArguments(call.args);
    const { host, task, environment, folder, depth } = call;
    if (script === undefined && name === undefined && letters.includes("i"))
      return yield* runInteractive(
        new Shell({ host, task, environment, folder, name: call.name, depth }),
        call.streams,
      );
    const text = script ?? (yield* readScript(call, name));
    if (text === undefined) return yield* complains(call, `can't open '${name}': No such file or directory`, 2);
    let list: CommandList;
    try {
      list = parseScript(text);
    } catch (error) {
      if (error instanceof NotUnderstood) return yield* complains(call, error.message, 2);
      throw error;
    }
    const shell = new Shell({ host, task, environment, folder, name: name ?? "sh", args, depth });
    shell.options.errexit = letters.includes("e");
    shell.options.nounset = letters.includes("u");
    shell.options.xtrace = letters.includes("x");
    const { handler } = task;
    try {
      return yield* runScript(shell, list, call.streams);
    } catch (error) {
      if (error instanceof ShellError) return yield* complains(call, error.message, 2);
      throw error;
    } finally {
      task.handler = handler;
    }
  },
};

export const bash: ShellProgram = { ...sh, name: "bash" };
export const ash: ShellProgram = { ...sh, name: "ash" };
export const dash: ShellProgram = { ...sh, name: "dash" };

function* readScript(call: ProgramCall, file: string | undefined): Run<string | undefined> {
  if (file === undefined) return (yield* readAll(call.streams.stdin, scriptCharsMax)).toString();
  return call.host.files.read(posix.resolve(call.folder, file))?.toString();
}

interface ShellArguments {
  readonly letters: string;
  /** Undefined: the script is in a file, or is the input. */
  readonly script: string | undefined;
  /** The name of the script; undefined: it has none. */
  readonly name: string | undefined;
  readonly args: readonly string[];
}

/** Options may be separate or together: `-e -c`, `-ec`. */
export function shellArguments(words: readonly string[]): ShellArguments {
  let letters = "";
  let at = 0;
  for (; at < words.length && /^-./.test(words[at] ?? "") && words[at] !== "--"; at++) {
    if (words[at]?.startsWith("--")) continue;
    letters += words[at]?.slice(1);
    if (/o$/.test(words[at] ?? "")) at++; // -o NAME
  }
  if (words[at] === "--") at++;
  const rest = words.slice(at);
  if (!letters.includes("c")) return { letters, script: undefined, name: rest[0], args: rest.slice(1) };
  return { letters, script: rest[0] ?? "", name: rest[1], args: rest.slice(2) };
}
