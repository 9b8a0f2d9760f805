/** Whether a command can be run here: every command that it names is known, with its options. What is known only later is tried. */

import { builtins } from "./builtins.ts";
import type { Files, ShellProgram } from "./host.ts";
import { parseScript } from "./parse.ts";
import { NotUnderstood } from "./parse-word.ts";
import { shellArguments } from "./programs/sh.ts";
import { programName } from "./run.ts";
import { type CommandList, literalOf, type ShellCommand, type Word } from "./syntax.ts";

interface Known {
  program(name: string): ShellProgram | undefined;
  /** What a script that is named as a file may be read from. */
  readonly files: Pick<Files, "read">;
}

const shells = ["sh", "bash", "ash", "dash"];

/** The words of a container, a probe or a hook. */
export function isUnderstood(words: readonly string[], known: Known): boolean {
  const first = words[0] ?? "";
  // What only a shell knows cannot be started as a process.
  if (builtins.has(first) && known.program(first) === undefined) return false;
  try {
    checkWords(words, known, new Set());
    return true;
  } catch (error) {
    if (error instanceof NotUnderstood) return false;
    throw error;
  }
}

/** Undefined words are known only later. `functions`: names that the script defines. */
function checkWords(words: readonly (string | undefined)[], known: Known, functions: Set<string>): void {
  const [first, ...args] = words;
  if (first === undefined || functions.has(first)) return;
  const name = programName(first);
  const text = textIn(name, args);
  if (text !== undefined) checkText(text, known, functions);
  else if ((name === "exec" || name === "command") && args[0] !== "-v") checkWords(args, known, functions);
  else if (!builtins.has(name)) checkProgram(first, args, known, functions);
}

/** The script among the arguments of a command; undefined: there is none, or it is known only later. */
function textIn(name: string, args: readonly (string | undefined)[]): string | undefined {
  if (name === "trap" && args.length > 1 && args[0] !== "--") return args[0];
  return name === "eval" && args.every((arg) => arg !== undefined) ? args.join(" ") : undefined;
}

function checkProgram(
  first: string,
  args: readonly (string | undefined)[],
  known: Known,
  functions: Set<string>,
): void {
  const name = programName(first);
  const program = known.program(name);
  if (program !== undefined) {
    if (program.understands?.(args) === false) throw new NotUnderstood(`${first} is not known with these options`);
    if (shells.includes(name)) checkShell(args, known, functions);
    return;
  }
  const file = first.startsWith("/") ? known.files.read(first) : undefined;
  if (file === undefined) throw new NotUnderstood(`${first} is not known`);
  checkText(file.toString(), known, functions);
}

function checkShell(args: readonly (string | undefined)[], known: Known, functions: Set<string>): void {
  const given = args.map((arg) => arg ?? unknownText);
  const { script, name } = shellArguments(given);
  if (script !== undefined) {
    if (script !== unknownText) checkText(script, known, functions);
    return;
  }
  // A shell without a script reads what is typed.
  if (name === undefined) throw new NotUnderstood("a shell without a script is not understood");
  const file = known.files.read(name);
  if (file !== undefined) checkText(file.toString(), known, functions);
  else if (name !== unknownText) throw new NotUnderstood(`${name} does not exist yet`);
}

/** Stands for a text that is known only later. */
const unknownText = "\0";

function checkText(text: string, known: Known, functions: Set<string>): void {
  const list = parseScript(text);
  const named = new Set([...functions, ...definedIn(text)]);
  checkList(list, known, named);
}

const definedIn = (text: string): readonly string[] =>
  [...text.matchAll(/([A-Za-z_]\w*)\s*\(\)/g)].map(([, name = ""]) => name);

function checkList({ items }: CommandList, known: Known, functions: Set<string>): void {
  for (const { andOr } of items)
    for (const pipeline of [andOr.first, ...andOr.rest.map(({ pipeline }) => pipeline)])
      for (const command of pipeline.commands) checkCommand(command, known, functions);
}

function checkCommand(command: ShellCommand, known: Known, functions: Set<string>): void {
  for (const list of listsIn(command)) checkList(list, known, functions);
  for (const word of wordsIn(command)) checkWord(word, known, functions);
  if (command.at === "function") checkCommand(command.body, known, functions);
  if (command.at === "simple" && command.words.length > 0) checkWords(command.words.map(literalOf), known, functions);
}

function listsIn(command: ShellCommand): readonly CommandList[] {
  switch (command.at) {
    case "simple":
    case "function":
      return [];
    case "if": {
      const branches = command.branches.flatMap(({ condition, body }) => [condition, body]);
      return command.otherwise === undefined ? branches : [...branches, command.otherwise];
    }
    case "while":
      return [command.condition, command.body];
    case "case":
      return command.branches.map(({ body }) => body);
    case "for":
    case "group":
    case "subshell":
      return [command.body];
  }
}

function wordsIn(command: ShellCommand): readonly Word[] {
  const targets = command.redirects.map(({ target }) => target);
  if (command.at === "simple") return [...targets, ...command.words, ...command.assignments.map(({ value }) => value)];
  if (command.at === "for") return [...targets, ...(command.words ?? [])];
  return command.at === "case" ? [...targets, command.word] : targets;
}

/** Commands in `$(…)`. */
function checkWord(word: Word, known: Known, functions: Set<string>): void {
  for (const part of word) {
    if (part.at === "command") checkList(part.list, known, functions);
    if (part.at === "arithmetic") checkWord(part.expression, known, functions);
    if (part.at === "variable" && part.argument !== undefined) checkWord(part.argument, known, functions);
  }
}
