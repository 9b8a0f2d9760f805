/**
 * Prints JSON values as YAML, exactly as v1.21 does: people compare outputs, and so do their tools.
 *
 *   {"b": {"c": [1, {"d": "x", "e": []}]}, "a": "1"}   ->   a: "1"
 *                                                           b:
 *                                                             c:
 *                                                             - 1
 *                                                             - d: x
 *                                                               e: []
 */

import { chooseStyle, escapeAll } from "./yaml-scalar.ts";

/** A longer line is broken at a space. */
const lineCharsMax = 80;
/** A longer key is printed on a separate line, after a question mark. */
const simpleKeyBytesMax = 128;

/** `indent` is where members and items begin. Ends with a new line. */
export function encodeYaml(value: unknown, indent = 0): string {
  const printer = new Printer();
  printer.whole(value, indent);
  return printer.text;
}

/** A key and its colon; undefined: the key is not a simple one. */
export function printYamlKey(key: string): string | undefined {
  if (!isSimpleKey(key)) return undefined;
  const printer = new Printer();
  printer.key(key);
  return `${printer.text}:`;
}

/** The members that JSON would print. */
export function presentKeys(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

class Printer {
  text = "";
  /** How many characters the line has. */
  #column = 0;

  whole(value: unknown, indent: number): void {
    if (isMembers(value)) this.#members(value, indent, false);
    else if (isItems(value)) this.#items(value, indent, false);
    else this.#small(value, indent + 2);
    if (this.#column > 0) this.#lineEnd();
  }

  key(key: string): void {
    // Unquoted it would merge in the members of its value.
    if (key === "<<") this.#put('"<<"');
    else this.#scalar(key, 0, false);
  }

  #members(value: Readonly<Record<string, unknown>>, indent: number, isInline: boolean): void {
    let begun = isInline;
    for (const key of presentKeys(value).sort(compareKeys)) {
      if (!begun) this.#lineStart(indent);
      begun = false;
      if (isSimpleKey(key)) {
        this.key(key);
        this.#put(":");
        this.#member(value[key], indent);
      } else {
        this.#put("? ");
        this.#scalar(key, indent + 2, true);
        this.#lineStart(indent);
        this.#put(":");
        this.#item(value[key], indent);
      }
    }
  }

  #items(value: readonly unknown[], indent: number, isInline: boolean): void {
    let begun = isInline;
    for (const item of value) {
      if (!begun) this.#lineStart(indent);
      begun = false;
      this.#put("-");
      this.#item(item, indent);
    }
  }

  /** The value of a key: members below it, indented further; items below it, at the same indent. */
  #member(value: unknown, indent: number): void {
    if (isMembers(value)) this.#members(value, indent + 2, false);
    else if (isItems(value)) this.#items(value, indent, false);
    else {
      this.#put(" ");
      this.#small(value, indent + 2);
    }
  }

  /** The value of an item: it begins on the line of the dash. */
  #item(value: unknown, indent: number): void {
    this.#put(" ");
    if (isMembers(value)) this.#members(value, indent + 2, true);
    else if (isItems(value)) this.#items(value, indent + 2, true);
    else this.#small(value, indent + 2);
  }

  /** A value without parts. */
  #small(value: unknown, indent: number): void {
    if (typeof value === "string") this.#scalar(value, indent, true);
    else if (typeof value === "object" && value !== null && !(value instanceof Number)) {
      this.#put(Array.isArray(value) ? "[]" : "{}");
    } else this.#put(value === undefined || value === null ? "null" : numberText(value));
  }

  /** `indent` is where it continues on the next line, if it may be broken. */
  #scalar(text: string, indent: number, mayGoOn: boolean): void {
    switch (chooseStyle(text)) {
      case "plain":
        this.#words(text, indent, mayGoOn, "");
        break;
      case "single":
        this.#words(text.replaceAll("'", "''"), indent, mayGoOn, "'");
        break;
      case "double":
        this.#words(escapeAll(text), indent, mayGoOn, '"');
        break;
      case "literal":
        this.#literal(text, indent);
        break;
    }
  }

  /**
   * A line break may replace a single space, but not one at the edge of the quoted text. In double quotes more spaces may
   * follow, after a backslash.
   */
  #words(text: string, indent: number, mayGoOn: boolean, quote: "" | "'" | '"'): void {
    this.#put(quote);
    if (!mayGoOn || this.#column + text.length <= lineCharsMax) this.#put(text);
    else {
      for (let at = 0; at < text.length; ) {
        const isEdge = quote !== "" && (at === 0 || at === text.length - 1);
        const mayBreak = text[at] === " " && !isEdge && text[at - 1] !== " ";
        if (mayBreak && this.#column > lineCharsMax && (quote === '"' || text[at + 1] !== " ")) {
          this.#goOn(indent);
          at += 1;
          if (text[at] === " ") this.#put("\\");
        }
        const next = text.indexOf(" ", at + 1);
        const end = next < 0 ? text.length : next;
        this.#put(text.slice(at, end));
        at = end;
      }
    }
    this.#put(quote);
  }

  #literal(text: string, indent: number): void {
    const indentHint = text.startsWith(" ") || text.startsWith("\n") ? "2" : "";
    const endHint = !text.endsWith("\n") ? "-" : text === "\n" || text.endsWith("\n\n") ? "+" : "";
    this.#put(`|${indentHint}${endHint}`);
    this.#lineEnd();
    // Empty lines stay empty.
    this.text += text.replace(/^(?=.)/gm, " ".repeat(indent));
    this.#column = text.length - 1 - text.lastIndexOf("\n");
  }

  #goOn(indent: number): void {
    this.#lineEnd();
    this.#put(" ".repeat(indent));
  }

  #lineStart(indent: number): void {
    if (this.#column > 0) this.#lineEnd();
    this.#put(" ".repeat(indent));
  }

  #lineEnd(): void {
    this.text += "\n";
    this.#column = 0;
  }

  #put(text: string): void {
    this.text += text;
    this.#column += text.length;
  }
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Number) return false;
  for (const key in value) if ((value as Record<string, unknown>)[key] !== undefined) return true;
  return false;
}

function isItems(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isSimpleKey(key: string): boolean {
  return !key.includes("\n") && (key.length <= simpleKeyBytesMax / 3 || Buffer.byteLength(key) <= simpleKeyBytesMax);
}

/** Fractions, and what needs more than 64 bits, have an exponent of at least two digits if they are very small or large. */
function numberText(value: unknown): string {
  const number = value instanceof Number ? value.valueOf() : value;
  if (typeof number !== "number" || number === 0) return String(number);
  const size = Math.abs(number);
  const isWhole = Number.isInteger(number) && size < 2 ** 64;
  if (isWhole || (size >= 1e-4 && size < exponentFrom)) return String(number);
  return number.toExponential().replace(/e([-+])([0-9])$/, "e$10$2");
}

/** A fraction of this size is printed with an exponent. */
const exponentFrom = 1e6;

/** Natural order: numbers within keys by value, and letters after everything else. */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (left === right) continue;
    const [isLetter, isOtherLetter] = [isLetterCode(left), isLetterCode(right)];
    if (isLetter && isOtherLetter) return left - right;
    if (isLetter || isOtherLetter) return isLetter ? 1 : -1;
    return compareAmounts(one, other, at) || left - right;
  }
  return one.length - other.length;
}

const zero = 0x30;
const letter = /^\p{L}$/u;

function isLetterCode(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return letter.test(String.fromCharCode(code));
}

const isDigitCode = (code: number): boolean => code >= zero && code <= 0x39;

/** Whether the digits right before `at` are not all zero: then a zero after them counts. */
function followsAmount(key: string, at: number): boolean {
  for (let before = at - 1; before >= 0 && isDigitCode(key.charCodeAt(before)); before--) {
    if (key.charCodeAt(before) !== zero) return true;
  }
  return false;
}

/** Compares the numbers that begin where two keys differ; of equal ones the shorter comes first. */
function compareAmounts(one: string, other: string, at: number): number {
  const [end, otherEnd] = [endOfDigits(one, at), endOfDigits(other, at)];
  const countsZeros = followsAmount(one, at);
  const start = countsZeros ? at : skipZeros(one, at, end);
  const otherStart = countsZeros ? at : skipZeros(other, at, otherEnd);
  const digits = end - start;
  if (digits !== otherEnd - otherStart) return digits - (otherEnd - otherStart);
  for (let n = 0; n < digits; n++) {
    const difference = one.charCodeAt(start + n) - other.charCodeAt(otherStart + n);
    if (difference !== 0) return difference;
  }
  return end - otherEnd;
}

function endOfDigits(key: string, at: number): number {
  let end = at;
  while (end < key.length && isDigitCode(key.charCodeAt(end))) end++;
  return end;
}

function skipZeros(key: string, at: number, end: number): number {
  let start = at;
  while (start < end && key.charCodeAt(start) === zero) start++;
  return start;
}
