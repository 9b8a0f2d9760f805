/** Splits the text of an expression into tokens. */

import type { Steps } from "../../base/time-slice.ts";
import { tokensOfStep } from "../limits.ts";
import type { Literal } from "./ast.ts";
import { readNumber, readQuoted } from "./literals.ts";
import { matchAt, SyntaxProblem } from "./syntax-problem.ts";

type TokenKind = "end" | "identifier" | "quoted" | "literal" | "operator" | "keyword";

export interface Token {
  readonly kind: TokenKind;
  /** As it is written; a quoted name has its backquotes. */
  readonly text: string;
  readonly value?: Literal;
  readonly offset: number;
}

/** Longest first. */
const operators = [
  "&&", "||", "<=", ">=", "==", "!=",
  "<", ">", "!", "-", "+", "*", "/", "%", "(", ")", "[", "]", "{", "}", ".", ",", ":", "?",
] as const; // biome-ignore format: one line is easier to read

/** Words that are never names, not even after a dot. */
const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

const space = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
/** The name of a field that is not an identifier: a.`b-c`. */
const quoted = /`[A-Za-z0-9_.\-/ ]+`/y;
const stringStart = /(?:[rR][bB]?|[bB][rR]?)?(?:"""|'''|"|')/y;
const numberStart = /\.?[0-9]/y;

/** `isStrict`: a text with half of a surrogate pair is refused. */
export function* tokenize(text: string, isStrict: boolean): Steps<Token[]> {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += matchAt(space, text, at)?.length ?? 0;
    if (at >= text.length) break;
    const token = readToken(text, at, isStrict);
    if (tokens.push(token) % tokensOfStep === 0) yield;
    at += token.text.length;
  }
  tokens.push({ kind: "end", text: "", offset: text.length });
  return tokens;
}

function readToken(text: string, offset: number, isStrict: boolean): Token {
  const start = matchAt(stringStart, text, offset);
  if (start !== undefined) return { kind: "literal", offset, ...readQuoted(text, offset, start, isStrict) };
  const name = matchAt(word, text, offset);
  if (name !== undefined) {
    if (name === "true" || name === "false") return { kind: "literal", text: name, value: name === "true", offset };
    if (name === "null") return { kind: "literal", text: name, value: null, offset };
    return { kind: keywords.has(name) ? "keyword" : "identifier", text: name, offset };
  }
  if (matchAt(numberStart, text, offset) !== undefined) {
    const number = readNumber(text, offset);
    if (number !== undefined) return { kind: "literal", offset, ...number };
  }
  const field = matchAt(quoted, text, offset);
  if (field !== undefined) return { kind: "quoted", text: field, offset };
  const operator = operators.find((one) => text.startsWith(one, offset));
  if (operator !== undefined) return { kind: "operator", text: operator, offset };
  const character = String.fromCodePoint(text.codePointAt(offset)!);
  throw new SyntaxProblem(offset, `token recognition error at: '${character}'`);
}
