/** Reads numbers, texts and bytes as expressions write them. */

import { Bytes, int64Max, Uint, uint64Max } from "../values/values.ts";
import type { Literal } from "./ast.ts";
import { matchAt, SyntaxProblem } from "./syntax-problem.ts";

interface Read {
  readonly text: string;
  readonly value: Literal;
}

const hexadecimal = /0[xX][0-9a-fA-F]+[uU]?/y;
const decimal = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y;
const integer = /[0-9]+[uU]?/y;

/** Undefined: a dot that begins no number. A minus is an operator; the parser applies it to a literal. */
export function readNumber(text: string, offset: number): Read | undefined {
  const hex = matchAt(hexadecimal, text, offset);
  if (hex !== undefined) return { text: hex, value: integerOf(hex, offset) };
  const fraction = matchAt(decimal, text, offset);
  if (fraction !== undefined) return { text: fraction, value: doubleOf(fraction, offset) };
  const whole = matchAt(integer, text, offset);
  return whole === undefined ? undefined : { text: whole, value: integerOf(whole, offset) };
}

/** The parser refuses 9223372036854775808 unless a minus stands before it. */
function integerOf(text: string, offset: number): bigint | Uint {
  const isUnsigned = /[uU]$/.test(text);
  if (text.length > 40) throw new SyntaxProblem(offset, isUnsigned ? "invalid uint literal" : "invalid int literal");
  const value = BigInt(isUnsigned ? text.slice(0, -1) : text);
  if (isUnsigned) {
    if (value > uint64Max) throw new SyntaxProblem(offset, "invalid uint literal");
    return new Uint(value);
  }
  if (value > int64Max + 1n) throw new SyntaxProblem(offset, "invalid int literal");
  return value;
}

function doubleOf(text: string, offset: number): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SyntaxProblem(offset, "invalid double literal");
  return value;
}

/** `start` is the prefix with its quotes: r''' or b". `isStrict`: halves of surrogate pairs are refused. */
export function readQuoted(text: string, offset: number, start: string, isStrict: boolean): Read {
  const isRaw = /r/i.test(start);
  const isBytes = /b/i.test(start);
  const quotes = start.replace(/^[rRbB]+/, "");
  const from = offset + start.length;
  const end = endOfQuoted(text, from, quotes, isRaw);
  if (end === undefined) throw new SyntaxProblem(offset, "the quotes of a text are not closed");
  const inner = text.slice(from, end);
  const source = text.slice(offset, end + quotes.length);
  const normal = quotes.length === 3 ? inner.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : inner;
  if (isBytes) return { text: source, value: new Bytes(isRaw ? utf8(normal) : unescapeBytes(normal, from)) };
  return { text: source, value: isRaw ? normal : unescapeText(normal, from, isStrict) };
}

function endOfQuoted(text: string, from: number, quotes: string, isRaw: boolean): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith(quotes, at)) return at;
    if (quotes.length === 1 && (text[at] === "\n" || text[at] === "\r")) return undefined;
    if (text[at] === "\\" && !isRaw) at++;
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};
const escapePattern =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function unescapeText(text: string, offset: number, isStrict: boolean): string {
  return readEscapes(
    text,
    offset,
    (simple, byte, code) => simple ?? codePoint(byte ?? code ?? 0, offset, isStrict),
  ).join("");
}

function unescapeBytes(text: string, offset: number): Uint8Array {
  const parts = readEscapes(text, offset, (simple, byte, code) => {
    if (byte !== undefined) return Uint8Array.of(byte);
    if (code !== undefined) throw new SyntaxProblem(offset, "bytes have no Unicode escapes");
    return simple ?? "";
  });
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? utf8(part) : part)));
}

/** `make` gets a simple escape, a byte (`\x41`, `\101`) or a code point (`\u00e9`). */
function readEscapes<T>(
  text: string,
  offset: number,
  make: (simple: string | undefined, byte: number | undefined, code: number | undefined) => T,
): (T | string)[] {
  const parts: (T | string)[] = [];
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\\", at);
    if (next !== at) parts.push(text.slice(at, next < 0 ? text.length : next));
    if (next < 0) break;
    escapePattern.lastIndex = next;
    const match = escapePattern.exec(text);
    if (match === null) throw new SyntaxProblem(offset + next, "unable to unescape string");
    const [whole, simple, hex, short, long, octal] = match;
    const byte =
      hex !== undefined ? Number.parseInt(hex, 16) : octal !== undefined ? Number.parseInt(octal, 8) : undefined;
    const code = short ?? long;
    parts.push(
      make(
        simple === undefined ? undefined : escapes[simple],
        byte,
        code === undefined ? undefined : Number.parseInt(code, 16),
      ),
    );
    at = next + whole.length;
  }
  return parts;
}

function codePoint(code: number, offset: number, isStrict: boolean): string {
  const isHalf = code >= 0xd800 && code <= 0xdfff;
  if (isHalf && !isStrict) return "\ufffd";
  if (code > 0x10ffff || isHalf) throw new SyntaxProblem(offset, "invalid unicode code point");
  return String.fromCodePoint(code);
}

const encoder = new TextEncoder();
const utf8 = (text: string): Uint8Array => encoder.encode(text);
