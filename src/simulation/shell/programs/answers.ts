/** What programs have in common: printing a text and ending with a code. */

import type { ProgramCall } from "../host.ts";
import { write } from "../streams.ts";
import type { Run } from "../wait.ts";

export function* prints({ streams }: ProgramCall, text: string | Buffer, code = 0): Run {
  yield* write(streams.stdout, text);
  return code;
}

/** "cat: MESSAGE". */
export function* complains({ name, streams }: ProgramCall, message: string, code = 1): Run {
  yield* write(streams.stderr, `${name.slice(name.lastIndexOf("/") + 1)}: ${message}\n`);
  return code;
}

/** Whether all options are among these letters; what is known only later counts as no option. */
export const onlyOptions =
  (letters: string) =>
  (args: readonly (string | undefined)[]): boolean => {
    const end = args.indexOf("--");
    return args
      .slice(0, end < 0 ? undefined : end)
      .every(
        (arg) => arg === undefined || !/^-./.test(arg) || [...arg.slice(1)].every((letter) => letters.includes(letter)),
      );
  };

/** The options as letters, and the rest. */
export function optionsOf(args: readonly string[]): { readonly letters: string; readonly rest: readonly string[] } {
  const end = args.findIndex((arg) => arg === "--" || !/^-./.test(arg));
  if (end < 0) return { letters: args.map((arg) => arg.slice(1)).join(""), rest: [] };
  const letters = args
    .slice(0, end)
    .map((arg) => arg.slice(1))
    .join("");
  return { letters, rest: args.slice(args[end] === "--" ? end + 1 : end) };
}
