/** Reads one word of a script: text, quotes, variables, `$(…)` and `$((…))`. */

import { depthMax } from "./limits.ts";
import type { CommandList, Word, WordPart } from "./syntax.ts";

/** The script uses what this shell does not know, or ends too early. */
export class NotUnderstood extends Error {}

/** A place in a text, with how deep the parser is. */
export interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

export type ParseList = (cursor: Cursor, end: string) => CommandList;

const nameAt = /[A-Za-z_][A-Za-z0-9_]*/y;
const specialNames = "?$#@*!-0123456789";
/** Longer ones first. */
const operators = [":-", ":=", ":+", ":?", "##", "%%", "-", "=", "+", "?", "#", "%"];

export const isWordEnd = (char: string | undefined): boolean => char === undefined || " \t\n;&|<>()".includes(char);

/** Undefined: no word begins here. `parseList` reads commands in `$(…)`, up to their end. */
export function parseWord(cursor: Cursor, parseList: ParseList): Word | undefined {
  const begun = cursor.at;
  const parts = new Parts();
  while (!isWordEnd(cursor.text[cursor.at])) {
    const char = cursor.text[cursor.at]!;
    if (char === "'") parts.text(singleQuoted(cursor), true);
    else if (char === '"') doubleQuoted(cursor, parts, parseList);
    else if (char === "\\") {
      const next = cursor.text[cursor.at + 1];
      cursor.at += 2;
      if (next === undefined) parts.text("\\", false);
      else if (next !== "\n") parts.text(next, true);
    } else if (char === "$") dollar(cursor, parts, false, parseList);
    else if (char === "`") parts.add(backquoted(cursor, false, parseList));
    else {
      parts.text(char, false);
      cursor.at++;
    }
  }
  return cursor.at === begun ? undefined : parts.word;
}

/** A text in which everything but expansions is quoted: what `<<` gives to a command. */
export function parseQuotedText(text: string, depth: number, parseList: ParseList): Word {
  const cursor: Cursor = { text: `${text}"`, at: -1, depth };
  const parts = new Parts();
  cursor.at = 0;
  quotedUntil(cursor, parts, parseList, text.length);
  return parts.word;
}

class Parts {
  readonly word: WordPart[] = [];

  add(part: WordPart): void {
    this.word.push(part);
  }

  text(text: string, quoted: boolean): void {
    const last = this.word.at(-1);
    if (last?.at === "text" && last.quoted === quoted)
      this.word[this.word.length - 1] = { ...last, text: last.text + text };
    else this.word.push({ at: "text", text, quoted });
  }
}

function singleQuoted(cursor: Cursor): string {
  const end = cursor.text.indexOf("'", cursor.at + 1);
  if (end < 0) throw new NotUnderstood("a quote is not closed");
  const text = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  return text;
}

function doubleQuoted(cursor: Cursor, parts: Parts, parseList: ParseList): void {
  cursor.at++;
  parts.text("", true); // "" is a word
  quotedUntil(cursor, parts, parseList, undefined);
  cursor.at++;
}

/** Up to the closing quote, or up to `end`. */
function quotedUntil(cursor: Cursor, parts: Parts, parseList: ParseList, end: number | undefined): void {
  while (end === undefined ? cursor.text[cursor.at] !== '"' : cursor.at < end) {
    const char = cursor.text[cursor.at];
    if (char === undefined) throw new NotUnderstood("a quote is not closed");
    if (char === "\\") {
      const next = cursor.text[cursor.at + 1] ?? "";
      cursor.at += 2;
      if (next !== "\n") parts.text('$`"\\'.includes(next) && next !== "" ? next : `\\${next}`, true);
    } else if (char === "$") dollar(cursor, parts, true, parseList);
    else if (char === "`") parts.add(backquoted(cursor, true, parseList));
    else {
      parts.text(char, true);
      cursor.at++;
    }
  }
}

function dollar(cursor: Cursor, parts: Parts, quoted: boolean, parseList: ParseList): void {
  const { text } = cursor;
  const next = text[cursor.at + 1] ?? "";
  if (text.startsWith("$((", cursor.at)) return void parts.add(arithmetic(cursor, quoted, parseList));
  if (next === "(") {
    cursor.at += 2;
    const list = nested(cursor, () => parseList(cursor, ")"));
    return void parts.add({ at: "command", list, quoted });
  }
  if (next === "{") return void parts.add(braced(cursor, quoted, parseList));
  nameAt.lastIndex = cursor.at + 1;
  const name = nameAt.exec(text)?.[0] ?? (next !== "" && specialNames.includes(next) ? next : undefined);
  if (name === undefined) {
    if (next === "'" && !quoted) throw new NotUnderstood("$'…' is not understood");
    parts.text("$", true);
    cursor.at++;
    return;
  }
  cursor.at += 1 + name.length;
  parts.add({ at: "variable", name, quoted });
}

const oddBraces = "this form of a variable in braces is not understood";

/** `${NAME}`, `${#NAME}`, `${NAME:-word}`. */
function braced(cursor: Cursor, quoted: boolean, parseList: ParseList): WordPart {
  cursor.at += 2;
  const isLength = cursor.text[cursor.at] === "#" && cursor.text[cursor.at + 1] !== "}";
  if (isLength) cursor.at++;
  nameAt.lastIndex = cursor.at;
  const special = cursor.text[cursor.at] ?? "";
  const name = nameAt.exec(cursor.text)?.[0] ?? (specialNames.includes(special) ? special : "");
  if (name === "") throw new NotUnderstood(oddBraces);
  cursor.at += name.length;
  const operator = operators.find((one) => cursor.text.startsWith(one, cursor.at));
  if (isLength || operator === undefined) {
    if (cursor.text[cursor.at] !== "}") throw new NotUnderstood(oddBraces);
    cursor.at++;
    return { at: "variable", name, quoted, ...(isLength && { operator: "length" }) };
  }
  cursor.at += operator.length;
  const parts = new Parts();
  nested(cursor, () => bracedArgument(cursor, parts, quoted, parseList));
  cursor.at++;
  return { at: "variable", name, quoted, operator, argument: parts.word };
}

function bracedArgument(cursor: Cursor, parts: Parts, quoted: boolean, parseList: ParseList): void {
  while (cursor.text[cursor.at] !== "}") {
    const char = cursor.text[cursor.at];
    if (char === undefined) throw new NotUnderstood("${ is not closed");
    if (char === "'" && !quoted) parts.text(singleQuoted(cursor), true);
    else if (char === '"') doubleQuoted(cursor, parts, parseList);
    else if (char === "\\") {
      parts.text(cursor.text[cursor.at + 1] ?? "", true);
      cursor.at += 2;
    } else if (char === "$") dollar(cursor, parts, quoted, parseList);
    else if (char === "`") parts.add(backquoted(cursor, quoted, parseList));
    else {
      parts.text(char, quoted);
      cursor.at++;
    }
  }
}

function arithmetic(cursor: Cursor, quoted: boolean, parseList: ParseList): WordPart {
  cursor.at += 3;
  const parts = new Parts();
  nested(cursor, () => {
    for (let open = 0; open > 0 || !cursor.text.startsWith("))", cursor.at); ) {
      const char = cursor.text[cursor.at];
      if (char === undefined) throw new NotUnderstood("$(( is not closed");
      if (char === "$") dollar(cursor, parts, true, parseList);
      else {
        open += char === "(" ? 1 : char === ")" ? -1 : 0;
        if (open < 0) throw new NotUnderstood("$(( is not closed");
        parts.text(char, true);
        cursor.at++;
      }
    }
  });
  cursor.at += 2;
  return { at: "arithmetic", expression: parts.word, quoted };
}

/** The old form of `$(…)`: its text is read first, without its backslashes. */
function backquoted(cursor: Cursor, quoted: boolean, parseList: ParseList): WordPart {
  let text = "";
  for (cursor.at++; cursor.text[cursor.at] !== "`"; cursor.at++) {
    const char = cursor.text[cursor.at];
    if (char === undefined) throw new NotUnderstood("a backquote is not closed");
    const next = cursor.text[cursor.at + 1] ?? "";
    if (char === "\\" && (next === "`" || next === "\\" || next === "$")) {
      text += next;
      cursor.at++;
    } else text += char;
  }
  cursor.at++;
  const inner: Cursor = { text, at: 0, depth: cursor.depth };
  return { at: "command", list: nested(inner, () => parseList(inner, "")), quoted };
}

/** Throws where a script is nested too deeply. */
export function nested<T>(cursor: Cursor, read: () => T): T {
  if (++cursor.depth > depthMax) throw new NotUnderstood(`commands may be nested ${depthMax} deep`);
  const result = read();
  cursor.depth--;
  return result;
}
