/**
 * Reads a JSONPath as printer columns and `-o jsonpath` write it between braces: `.spec.ports[0].name`,
 * `.items[?(@.kind=="Pod")].metadata.name`, `['a','b']`, `..image`.
 */

/** One step from values to values. */
export type JsonPathStep =
  | { readonly at: "root" }
  /** `path`: what the name means when no member is called so, because it has dots in it. */
  | { readonly at: "field"; readonly name: string; readonly path?: JsonPath }
  | { readonly at: "every" }
  | { readonly at: "below" }
  | { readonly at: "slice"; readonly from?: number; readonly to?: number; readonly by?: number; readonly one: boolean }
  | { readonly at: "union"; readonly paths: readonly JsonPath[] }
  | { readonly at: "filter"; readonly left: JsonPath; readonly operator: string; readonly right: JsonPath | undefined }
  | { readonly at: "value"; readonly value: string | number | bigint | boolean };

export type JsonPath = readonly JsonPathStep[];

/** A longer path is refused. */
export const pathCharsMax = 4_096;

export class PathError extends Error {}

/** Throws PathError. */
export function parseJsonPath(text: string): JsonPath {
  if (text.length > pathCharsMax) throw new PathError(`a path may have at most ${pathCharsMax} characters`);
  return new Reader(text).read();
}

const operators = new Set(["==", "!=", "<", "<=", ">", ">="]);
/** Ends the name of a field. A backslash before it makes it part of the name. */
const terminators = new Set([" ", "\t", "\n", "\r", ".", ",", "[", "]", "$", "@", "{", "}"]);

class Reader {
  readonly #text: string;
  readonly #steps: JsonPathStep[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonPath {
    while (this.#at < this.#text.length) this.#step();
    return this.#steps;
  }

  #step(): void {
    const text = this.#text;
    const next = text.charAt(this.#at);
    if (next === " " || next === "\t") this.#at++;
    else if (next === "$" || next === "@") {
      this.#at++;
      this.#steps.push({ at: "root" });
    } else if (next === ".") this.#field();
    else if (text.startsWith("[?(", this.#at)) this.#filter();
    else if (next === "[") this.#brackets();
    else if (next === '"' || next === "'") this.#quoted(next);
    else if (/[0-9+-]/.test(next)) this.#number();
    else this.#word();
  }

  #field(): void {
    this.#at++;
    if (this.#text.charAt(this.#at) === ".") {
      this.#steps.push({ at: "below" });
      // "..name" is the field anywhere below; "..[0]" an index there.
      this.#at++;
      if (terminators.has(this.#text.charAt(this.#at)) || this.#at >= this.#text.length) return;
    }
    const name = this.#name();
    if (name === "*") this.#steps.push({ at: "every" });
    else if (name !== "") this.#steps.push({ at: "field", name });
  }

  #name(): string {
    let name = "";
    for (; this.#at < this.#text.length; this.#at++) {
      const next = this.#text.charAt(this.#at);
      if (next === "\\") name += this.#text.charAt(++this.#at);
      else if (terminators.has(next)) break;
      else name += next;
    }
    return name;
  }

  #brackets(): void {
    const end = this.#text.indexOf("]", this.#at);
    if (end < 0) throw new PathError("unterminated array");
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inside.split(",");
    if (parts.length > 1) {
      this.#steps.push({ at: "union", paths: parts.map((part) => [bracketed(part.trim())]) });
    } else this.#steps.push(bracketed(inside));
  }

  #filter(): void {
    const begin = this.#at + "[?(".length;
    const end = filterEnd(this.#text, begin);
    this.#at = end + ")]".length;
    const inside = this.#text.slice(begin, end);
    const compared = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(inside);
    if (compared === null) {
      this.#steps.push({ at: "filter", left: parseJsonPath(inside), operator: "exists", right: undefined });
      return;
    }
    const [, left = "", operator = "", right = ""] = compared;
    const sides = [parseJsonPath(left), parseJsonPath(right)] as const;
    if (!operators.has(operator)) throw new PathError(`unrecognized filter operator ${operator}`);
    this.#steps.push({ at: "filter", left: sides[0], operator, right: sides[1] });
  }

  #quoted(quote: string): void {
    let value = "";
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const next = this.#text.charAt(at);
      if (next === quote) {
        this.#at = at + 1;
        this.#steps.push({ at: "value", value });
        return;
      }
      value += next === "\\" ? unescaped(this.#text.charAt(++at)) : next;
    }
    throw new PathError("unterminated quoted string");
  }

  #number(): void {
    const [digits] = /^[+-]?[0-9]*(?:\.[0-9]+)?/.exec(this.#text.slice(this.#at)) ?? [""];
    const value = Number(digits);
    if (digits === "" || Number.isNaN(value)) throw new PathError(`${digits} is not a number`);
    this.#at += digits.length;
    const isExact = Number.isSafeInteger(value) || digits.includes(".");
    this.#steps.push({ at: "value", value: isExact ? value : BigInt(digits.replace("+", "")) });
  }

  #word(): void {
    const word = this.#name();
    if (word !== "true" && word !== "false") throw new PathError(unexpected(word || this.#text.charAt(this.#at)));
    this.#steps.push({ at: "value", value: word === "true" });
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

const unescaped = (char: string): string => escapes[char] ?? char;

function unexpected(word: string): string {
  if (/^\w/.test(word)) return `unrecognized identifier ${word.slice(0, 64)}`;
  const code = (word.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `unrecognized character in action: U+${code} '${word.charAt(0)}'`;
}

/** The position of the `)` of a filter: the first outside quotes, before a bracket. */
function filterEnd(text: string, begin: number): number {
  let quote = "";
  for (let at = begin; at < text.length; at++) {
    const next = text.charAt(at);
    if (quote !== "" && next === "\\") at++;
    else if (quote !== "") quote = next === quote ? "" : quote;
    else if (next === '"' || next === "'") quote = next;
    else if (next === ")") {
      if (text.charAt(at + 1) !== "]") throw new PathError("unclosed array expect ]");
      return at;
    }
  }
  throw new PathError("unterminated filter");
}

/** `['a.b']` is the member "a.b", or the member b of a; `['a\\.b']` only the former. */
function namedField(text: string): JsonPathStep {
  const name = text.replace(/\\(.)/gs, "$1");
  return /(?<!\\)\./.test(text) ? { at: "field", name, path: parseJsonPath(`.${text}`) } : { at: "field", name };
}

/** The contents of brackets: a name in quotes, an index, a slice, or all. */
function bracketed(text: string): JsonPathStep {
  if (text === "*") return { at: "slice", one: false };
  const name = /^'([^']*)'$/.exec(text) ?? /^"([^"]*)"$/.exec(text);
  if (name !== null) return namedField(name[1] ?? "");
  const slice = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(text);
  if (slice === null || text === "") throw new PathError(`invalid array index ${text.slice(0, 64)}`);
  const [, from, to, by] = slice;
  const number = (digits: string | undefined) => (digits === undefined || digits === "" ? undefined : Number(digits));
  const [fromAt, toAt, step] = [number(from), number(to), number(by)];
  return {
    at: "slice",
    one: !text.includes(":"),
    ...(fromAt === undefined ? {} : { from: fromAt }),
    ...(toAt === undefined ? {} : { to: toAt }),
    ...(step === undefined ? {} : { by: step }),
  };
}
