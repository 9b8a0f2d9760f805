/** Expands the words of a command: variables, `$(…)`, `$((…))`, words by blanks, and patterns of file names. */

import { posix } from "node:path";
import { ArithmeticError, evaluate } from "./arithmetic.ts";
import { hasWildcard, matches, type Pattern, patternOf, type Segment } from "./glob.ts";
import { textCharsMax, wordsMax } from "./limits.ts";
import { type Shell, ShellError } from "./shell.ts";
import type { CommandList, Word, WordPart } from "./syntax.ts";
import type { Run } from "./wait.ts";

/** What `$(…)` writes. */
export type Capture = (list: CommandList) => Run<string>;

/** One word of the result, with which of its parts were quoted. */
type Field = Segment[];

/** The words of a command. */
export function* expandWords(words: readonly Word[], shell: Shell, capture: Capture): Run<string[]> {
  const expanded: string[] = [];
  for (const word of words) {
    for (const field of yield* expandFields(word, shell, capture)) {
      yield* charged(field);
      expanded.push(...fileNames(field, shell));
      if (expanded.length > wordsMax) throw new ShellError("too many words");
    }
  }
  return expanded;
}

/** One text, which is not split: of an assignment, or of a file's name. */
export function* expandText(word: Word, shell: Shell, capture: Capture): Run<string> {
  return textOf(yield* expandPattern(word, shell, capture));
}

/** One text in which unquoted stars stay special. */
export function* expandPattern(word: Word, shell: Shell, capture: Capture): Run<readonly Segment[]> {
  const field: Field = [];
  for (const [at, part] of word.entries())
    for (const text of yield* expandPart(part, shell, capture, at === 0))
      append(field, typeof text === "string" ? text : text.join(" "), part.quoted);
  yield* charged(field);
  return field;
}

function* expandFields(word: Word, shell: Shell, capture: Capture): Run<Field[]> {
  const fields: Field[] = [];
  /** Undefined: the next character begins a word. */
  let open: Field | undefined;
  for (const [at, part] of word.entries()) {
    for (const value of yield* expandPart(part, shell, capture, at === 0)) {
      if (typeof value !== "string") {
        // "$@": one word for each argument.
        for (const [index, text] of value.entries()) {
          if (index > 0 && open !== undefined) {
            fields.push(open);
            open = undefined;
          }
          open ??= [];
          append(open, text, true);
        }
        continue;
      }
      if (part.quoted || part.at === "text") {
        if (value !== "" || part.quoted) open ??= [];
        if (open !== undefined) append(open, value, part.quoted);
        continue;
      }
      for (const piece of value.split(/([ \t\n]+)/)) {
        if (piece === "") continue;
        if (/^[ \t\n]/.test(piece)) {
          if (open !== undefined) fields.push(open);
          open = undefined;
        } else {
          open ??= [];
          append(open, piece, false);
        }
      }
    }
  }
  if (open !== undefined) fields.push(open);
  return fields;
}

/** A list of texts stands for several words. */
function* expandPart(
  part: WordPart,
  shell: Shell,
  capture: Capture,
  isFirst: boolean,
): Run<readonly (string | readonly string[])[]> {
  switch (part.at) {
    case "text":
      return [isFirst && !part.quoted ? part.text.replace(/^~(?=\/|$)/, shell.value("HOME") ?? "/root") : part.text];
    case "command":
      return [yield* capture(part.list)];
    case "arithmetic": {
      const text = yield* expandText(part.expression, shell, capture);
      try {
        return [String(evaluate(text, (name) => shell.value(name) ?? ""))];
      } catch (error) {
        if (error instanceof ArithmeticError) throw new ShellError(error.message);
        throw error;
      }
    }
    case "variable":
      if (part.name === "@" && part.operator === undefined) return part.quoted ? [shell.args] : [shell.args.join(" ")];
      return [yield* variable(part, shell, capture)];
  }
}

function* variable(part: WordPart & { readonly at: "variable" }, shell: Shell, capture: Capture): Run<string> {
  const { name, operator, argument = [] } = part;
  const value = shell.value(name);
  const isMissing = value === undefined || (value === "" && operator?.startsWith(":"));
  switch (operator) {
    case undefined:
      if (value === undefined && shell.options.nounset) throw new ShellError(`${name}: parameter not set`);
      return value ?? "";
    case "length":
      return String((value ?? "").length);
    case ":-":
    case "-":
      return isMissing ? yield* expandText(argument, shell, capture) : (value ?? "");
    case ":+":
    case "+":
      return isMissing ? "" : yield* expandText(argument, shell, capture);
    case ":=":
    case "=": {
      if (!isMissing) return value ?? "";
      const text = yield* expandText(argument, shell, capture);
      shell.set(name, text);
      return text;
    }
    case ":?":
    case "?": {
      if (!isMissing) return value ?? "";
      const text = yield* expandText(argument, shell, capture);
      throw new ShellError(`${name}: ${text || "parameter not set or null"}`);
    }
    default: {
      const pattern = patternOf(yield* expandPattern(argument, shell, capture));
      return trimmed(value ?? "", operator, pattern);
    }
  }
}

/** Longer ones are not trimmed: each part of the value would be compared with the pattern. */
export const trimCharsMax = 512;
export const trimPatternCharsMax = 64;

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`: without the shortest or longest part at its begin or end that matches. */
function trimmed(value: string, operator: string, pattern: Pattern): string {
  if (value.length > trimCharsMax || pattern.length > trimPatternCharsMax) throw new ShellError("value is too long");
  const isBegin = operator.startsWith("#");
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  for (const length of lengths) {
    const piece = isBegin ? value.slice(0, length) : value.slice(value.length - length);
    if (matches(pattern, piece)) return isBegin ? value.slice(length) : value.slice(0, value.length - length);
  }
  return value;
}

function append(field: Field, text: string, quoted: boolean): void {
  field.push({ text, quoted });
  if (lengthOf(field) > textCharsMax) throw new ShellError("word is too long");
}

const lengthOf = (field: readonly Segment[]): number => field.reduce((sum, { text }) => sum + text.length, 0);
const textOf = (field: readonly Segment[]): string => field.map(({ text }) => text).join("");

/** Long words take time. */
function* charged(field: readonly Segment[]): Run<void> {
  const bytes = lengthOf(field);
  if (bytes > chargedCharsMin) yield { at: "step", bytes };
}

const chargedCharsMin = 1_024;

/** The files that a pattern names, in order; a pattern that names none stays as it is. */
function fileNames(field: Field, shell: Shell): readonly string[] {
  const text = textOf(field);
  if (!hasWildcard(field)) return [text];
  const chars = patternOf(field);
  const slash = chars.findLastIndex(({ char }) => char === "/");
  const folder = chars.slice(0, slash + 1);
  if (folder.some(({ char, quoted }) => !quoted && "*?[".includes(char))) return [text];
  const before = folder.map(({ char }) => char).join("");
  const pattern = chars.slice(slash + 1);
  if (pattern.length > trimPatternCharsMax) return [text];
  const isHidden = (name: string) => name.startsWith(".") && pattern[0]?.char !== ".";
  const names = shell.host.files.list(posix.resolve(shell.folder, before || ".")) ?? [];
  const found = names.filter((name) => !isHidden(name) && matches(pattern, name));
  return found.length === 0 ? [text] : found.map((name) => before + name);
}
