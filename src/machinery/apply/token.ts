/**
 * The steps of a path in a field set, as text:
 *
 *   f:image                                   a member of an object
 *   k:{"containerPort":80,"protocol":"TCP"}   the item with these keys, in the order of their names
 *   v:"example.com/finalizer"                 the item with this value
 *   i:3                                       the item at this position
 *
 * Tokens that mean the same are the same text, so they can be compared and looked up as text.
 */

import { getOwn, isObject } from "../json/json-value.ts";

export const fieldToken = (name: string) => `f:${name}`;
export const valueToken = (value: unknown) => `v:${canonicalJson(value)}`;

/** `values` belong to `keys`, which are sorted. */
export function keyToken(keys: readonly string[], values: readonly unknown[]): string {
  let text = "";
  for (let i = 0; i < keys.length; i++) {
    text += `${i === 0 ? "" : ","}${JSON.stringify(keys[i])}:${canonicalJson(values[i])}`;
  }
  return `k:{${text}}`;
}

/** The name in a field's token; undefined: the token is of another form. */
export function fieldOf(token: string): string | undefined {
  return token.startsWith("f:") ? token.slice(2) : undefined;
}

/**
 * A token as a client wrote it in its canonical form. undefined: of a form that a later version may define, to be omitted.
 * "malformed": not a token.
 */
export function readToken(text: string): string | undefined | "malformed" {
  if (text[1] !== ":") return "malformed";
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "i":
      return /^[+-]?[0-9]{1,30}$/.test(rest) ? indexToken(BigInt(rest.replace("+", ""))) : "malformed";
    case "v": {
      const value = parse(rest);
      return value === undefined ? "malformed" : valueToken(value);
    }
    case "k": {
      const value = parse(rest);
      if (!isObject(value)) return "malformed";
      const keys = Object.keys(value).sort();
      return keyToken(
        keys,
        keys.map((key) => getOwn(value, key)),
      );
    }
    default:
      return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** JSON with the members of objects in the order of their names. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value).sort();
  // Own keys of a plain object.
  const member = (key: string) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`;
  return `{${members.map(member).join(",")}}`;
}

/** Sorts tokens in the order of printing: fields by name, items by key, by value, by position. In place. */
export function sortTokens(tokens: string[]): string[] {
  // Most come in order: maps are decoded in order, and lists are usually written in order. Array.sort would copy them anyway.
  if (isSorted(tokens)) return tokens;
  if (!tokens.some(isUnlikeText)) return tokens.sort();
  // Each token is parsed once, not at every comparison.
  tokens
    .map(readForOrder)
    .sort(compareRead)
    .forEach(({ token }, at) => {
      tokens[at] = token;
    });
  return tokens;
}

export function isSorted(tokens: readonly string[]): boolean {
  // Nearly always all are fields or items identified by texts, and the order is that of the texts.
  if (tokens.some(isUnlikeText)) return isSortedByValue(tokens);
  for (let i = 1; i < tokens.length; i++) {
    if (compareTexts(tokens[i - 1] as string, tokens[i] as string) > 0) return false; // i is within bounds
  }
  return true;
}

function isSortedByValue(tokens: readonly string[]): boolean {
  let before: ReadToken | undefined;
  for (const token of tokens) {
    const read = readForOrder(token);
    if (before !== undefined && compareRead(before, read) > 0) return false;
    before = read;
  }
  return true;
}

const compareTexts = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/** Numbers are in the order of their size, which text does not show, and positions come last. */
const isUnlikeText = (token: string) => token.charCodeAt(0) !== charF && /^i|^v:-?[0-9]|[:,[]-?[0-9]/.test(token);
const charF = "f".charCodeAt(0);

/** A token with its sort key: the key or value of an item, or its position. */
interface ReadToken {
  readonly token: string;
  /** Undefined for a field, which is compared as text. */
  readonly value: unknown;
}

const readForOrder = (token: string): ReadToken => ({
  token,
  value: token.charCodeAt(0) === charF ? undefined : parse(token.slice(2)),
});

function compareRead(one: ReadToken, other: ReadToken): number {
  const [a, b] = [one.token, other.token];
  if (a === b) return 0;
  if (a[0] !== b[0]) return rank(a) - rank(b);
  if (a.charCodeAt(0) === charF) return a < b ? -1 : 1;
  return compareValues(one.value, other.value) || (a < b ? -1 : 1);
}

const rank = (token: string) => ".fkvi".indexOf(token[0] as string); // tokens are never empty

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

function compareValues(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (isObject(a) && isObject(b)) {
    const [keysA, keysB] = [Object.keys(a), Object.keys(b)];
    for (let i = 0; i < Math.min(keysA.length, keysB.length); i++) {
      const [keyA, keyB] = [keysA[i] as string, keysB[i] as string]; // i is within both
      if (keyA !== keyB) return keyA < keyB ? -1 : 1;
      const order = compareValues(a[keyA], b[keyB]);
      if (order !== 0) return order;
    }
    return keysA.length - keysB.length;
  }
  const [textA, textB] = [canonicalJson(a), canonicalJson(b)];
  return textA === textB ? 0 : textA < textB ? -1 : 1;
}

/** A path as people read it: `.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].name`. */
export function showPath(path: readonly string[]): string {
  return path.map(showToken).join("");
}

function showToken(token: string): string {
  const rest = token.slice(2);
  if (token.startsWith("f:")) return `.${rest}`;
  if (token.startsWith("i:")) return `[${rest}]`;
  if (token.startsWith("v:")) return `[=${rest}]`;
  const value = parse(rest);
  const keys = isObject(value) ? Object.entries(value) : [];
  return `[${keys.map(([key, one]) => `${key}=${canonicalJson(one)}`).join(",")}]`;
}

/** Integers of 64 bits. */
const indexToken = (index: bigint) => (BigInt.asIntN(64, index) === index ? `i:${index}` : "malformed");
