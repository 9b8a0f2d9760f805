/** The errors about a command that does not exist, with the name that the user probably meant. */

import { nearest } from "../base/suggest.ts";
import type { Command } from "./command.ts";
import { CtlError } from "./errors.ts";

export function unknownCommand(name: string, known: Iterable<string>, program: string): CtlError {
  const near = nearest(name, known);
  const hint = near === undefined ? "" : `\n\nDid you mean this?\n\t${near}\n`;
  return new CtlError(`Error: unknown command "${name}" for "${program}"${hint}\nRun '${program} --help' for usage.`, {
    isBare: true,
  });
}

/** Undefined: none is similar enough. */
export const nearSubcommand = ({ subcommands = [] }: Command, word: string): string | undefined =>
  nearest(
    word,
    subcommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  );

/** `called`: the program and the words of the command. */
export function unknownSubcommand(words: readonly string[], command: Command, called: string): CtlError {
  const near = nearSubcommand(command, words[0] ?? "");
  const hint = near === undefined ? "" : `\nDid you mean "${near}"?`;
  return new CtlError(`unknown command "${words.join(" ")}"${hint}\nSee '${called} -h' for help and examples`);
}
