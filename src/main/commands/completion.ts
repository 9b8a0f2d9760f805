/** `orch completion`: code that lets a shell complete command lines, and the words that it asks for. */

import { bareValue, type Flag, FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { CompletionError, completionFor, completionShells } from "../../base/shell-completion.ts";
import { completionFlags } from "../flags/small-commands.ts";
import type { ProgramCommand } from "./list.ts";

export async function runCompletion(args: readonly string[]): Promise<void> {
  const { values, others } = parseFlags(completionFlags, args, { takesArguments: true });
  const [shell, ...more] = others;
  if (more.length > 0) throw new FlagError("Too many arguments. Expected only the shell type.");
  try {
    process.stdout.write(completionFor("orch", { shell, isInstalled: values.install }));
  } catch (cause) {
    if (cause instanceof CompletionError) throw new FlagError(cause.message, { cause });
    throw cause;
  }
}

/** The words that may stand in the place of the last one. None: the shell offers files. */
export function wordsAfter(commands: readonly ProgramCommand[], words: readonly string[]): readonly string[] {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const found = before.includes("--") ? [] : candidates(commands, before, typed);
  return found.filter((word) => word.startsWith(typed));
}

function candidates(commands: readonly ProgramCommand[], before: readonly string[], typed: string): readonly string[] {
  const names = [...commands.map(({ name }) => name), "version", "help"];
  const [first = ""] = before;
  if (first === "" && !typed.startsWith("-")) return names;
  if (first === "help") return before.length === 1 ? names : [];
  // Flags alone are those of `orch up`.
  const name = first === "" || first.startsWith("-") ? "up" : first;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return [];
  const flags = Object.entries(command.help.flags);
  const named = (word: string) => flags.find(([flag, { short }]) => word === `--${flag}` || word === `-${short}`)?.[1];
  // Bash takes "--name=value" apart.
  const pending = named((before.at(-1) === "=" ? before.at(-2) : before.at(-1)) ?? "");
  if (pending !== undefined && (before.at(-1) === "=" || bareValue(pending) === undefined)) return valuesOf(pending);
  const equals = typed.indexOf("=");
  if (typed.startsWith("-") && equals >= 0) {
    const flag = named(typed.slice(0, equals));
    return flag === undefined ? [] : valuesOf(flag).map((value) => `${typed.slice(0, equals + 1)}${value}`);
  }
  if (typed.startsWith("-"))
    return [...flags.flatMap(([flag, one]) => (isOffered(one) ? [`--${flag}`] : [])), "--help"];
  return name === "completion" ? completionShells : [];
}

const isOffered = ({ isHidden, deprecated, pending, refused }: Flag): boolean =>
  isHidden !== true && deprecated === undefined && pending === undefined && refused === undefined;

/** The words of a choice, as its help names them. */
const valuesOf = ({ type }: Flag): readonly string[] =>
  type.name.includes("|") ? type.name.split("|").filter((word) => !/[\u2026\s]/.test(word)) : [];
