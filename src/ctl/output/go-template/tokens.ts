/** Splits a Go template into texts and the tokens of its actions. */

import { CtlError } from "../../errors.ts";

export interface TemplateToken {
  readonly kind: "text" | "open" | "close" | "value" | "word" | "field" | "variable" | "dot" | "sign";
  readonly text: string;
  readonly value?: unknown;
  /** Whether it follows the previous token without a space. */
  readonly isJoined?: boolean;
}

export function tokenize(template: string): TemplateToken[] {
  const tokens: TemplateToken[] = [];
  let at = 0;
  let trimNext = false;
  while (at < template.length) {
    const open = template.indexOf("{{", at);
    let text = open < 0 ? template.slice(at) : template.slice(at, open);
    if (trimNext) text = text.trimStart();
    const trimsBefore = open >= 0 && /^\{\{-\s/.test(template.slice(open, open + 4));
    if (trimsBefore) text = text.trimEnd();
    if (text !== "") tokens.push({ kind: "text", text });
    if (open < 0) break;
    let start = open + 2 + (trimsBefore ? 1 : 0);
    const comment = /^\s*\/\*[\s\S]*?\*\/\s*/.exec(template.slice(start));
    if (comment !== null) {
      start += comment[0].length;
      trimNext = template.startsWith("-}}", start);
      at = start + (trimNext ? 3 : 2);
      continue;
    }
    tokens.push({ kind: "open", text: "{{" });
    const end = action(template, start, tokens);
    tokens.push({ kind: "close", text: "}}" });
    trimNext = end.trims;
    at = end.at;
  }
  return tokens;
}

const quoted = /^"(?:[^"\\\n]|\\.)*"/;
const raw = /^`[^`]*`/;
const char = /^'(?:[^'\\]|\\.)'/;
/** A literal of an integer is exact. */
function numberOf(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^[-+]?[0-9]+$/.test(digits) ? value : BigInt(digits.replace("+", ""));
}

const numberForm = /^[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)/;

function action(template: string, start: number, tokens: TemplateToken[]): { at: number; trims: boolean } {
  let at = start;
  let isJoined = false;
  for (;;) {
    const rest = template.slice(at);
    const space = /^\s+/.exec(rest);
    if (/^\s+-\}\}/.test(rest)) return { at: at + (/^\s+-\}\}/.exec(rest)?.[0].length ?? 0), trims: true };
    if (space !== null) {
      at += space[0].length;
      isJoined = false;
      continue;
    }
    if (rest.startsWith("}}")) return { at: at + 2, trims: false };
    if (rest === "") throw new CtlError("error parsing template: template: output:1: unclosed action");
    const token = one(rest, isJoined);
    tokens.push(token.token);
    at += token.length;
    isJoined = true;
  }
}

function one(rest: string, isJoined: boolean): { token: TemplateToken; length: number } {
  const of = (token: TemplateToken, length: number) => ({ token: { ...token, isJoined }, length });
  const text = quoted.exec(rest)?.[0];
  if (text !== undefined) return of({ kind: "value", text, value: unquote(text) }, text.length);
  const rawText = raw.exec(rest)?.[0];
  if (rawText !== undefined) return of({ kind: "value", text: rawText, value: rawText.slice(1, -1) }, rawText.length);
  const charText = char.exec(rest)?.[0];
  if (charText !== undefined)
    return of(
      { kind: "value", text: charText, value: unquote(`"${charText.slice(1, -1)}"`).codePointAt(0) ?? 0 },
      charText.length,
    );
  const digits = numberForm.exec(rest)?.[0];
  if (digits !== undefined) return of({ kind: "value", text: digits, value: numberOf(digits) }, digits.length);
  // Most commands have no template: V8 reads the classes of Unicode, for a millisecond, when it first comes to such a literal.
  const field = /^\.([\p{L}_][\p{L}\p{N}_]*)/u.exec(rest);
  if (field !== null) return of({ kind: "field", text: field[1] ?? "" }, field[0].length);
  const variable = /^\$([\p{L}\p{N}_]*)/u.exec(rest);
  if (variable !== null) return of({ kind: "variable", text: variable[1] ?? "" }, variable[0].length);
  const word = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(rest)?.[0];
  if (word === "true" || word === "false")
    return of({ kind: "value", text: word, value: word === "true" }, word.length);
  if (word !== undefined) return of({ kind: "word", text: word }, word.length);
  if (rest.startsWith(":=")) return of({ kind: "sign", text: ":=" }, 2);
  const sign = rest[0] ?? "";
  if (sign === ".") return of({ kind: "dot", text: sign }, 1);
  if ("|(),=".includes(sign)) return of({ kind: "sign", text: sign }, 1);
  throw new CtlError(`error parsing template: template: output:1: unexpected "${sign}" in command`);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

function unquote(text: string): string {
  return text
    .slice(1, -1)
    .replaceAll(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g, (_, x, u, long, other: string) => {
      const code: string | undefined = x ?? u ?? long;
      return code === undefined ? (escapes[other] ?? other) : String.fromCodePoint(Number.parseInt(code, 16));
    });
}
