/** How a plain scalar of a resource is read: by the rules of YAML 1.2, in which yes and on are texts, with dates. */

import { type Scalar, WrittenScalar } from "./value.ts";

const words: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...["true", "True", "TRUE"].map((text) => [text, true] as const),
  ...["false", "False", "FALSE"].map((text) => [text, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((text) => [text, null] as const),
]);
const integerForm = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/;
const floatForm = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const dateForm = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?(Z|[-+]\d{2}:\d{2})?)?$/;
/** Longer scalars are texts, even if they look like numbers. */
const numberCharsMax = 400;

/** Undefined: it is a text. */
export function wordOf(text: string): Scalar | undefined {
  const value = words.get(text);
  if (value === undefined) return undefined;
  return text === String(value) ? value : new WrittenScalar(text, value);
}

export function integerOf(text: string): WrittenScalar | undefined {
  if (text.length > numberCharsMax) return undefined;
  const plain = text.replaceAll("_", "");
  if (!integerForm.test(plain)) return undefined;
  const unsigned = plain.replace(/^[-+]/, "").toLowerCase();
  const magnitude = BigInt(/^0[0-7]/.test(unsigned) ? `0o${unsigned.slice(1)}` : unsigned);
  const exact = plain.startsWith("-") ? -magnitude : magnitude;
  if (exact < -(2n ** 63n) || exact >= 2n ** 64n) return undefined;
  return new WrittenScalar(text, Number.isSafeInteger(Number(exact)) ? Number(exact) : exact);
}

/** NaN and infinities have values that JSON does not have. */
export function floatOf(text: string): WrittenScalar | undefined {
  if (text.length > numberCharsMax) return undefined;
  const plain = text.replaceAll("_", "");
  const infinite = /^([-+])?\.(?:inf|Inf|INF)$/.exec(plain);
  if (infinite !== null) return new WrittenScalar(text, infinite[1] === "-" ? -Infinity : Infinity);
  if (/^\.(?:nan|NaN|NAN)$/.test(plain)) return new WrittenScalar(text, Number.NaN);
  if (!floatForm.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? new WrittenScalar(text, value === 0 ? 0 : value) : undefined;
}

/** A date is printed with its time. */
export function dateOf(text: string): WrittenScalar | undefined {
  const parts = dateForm.exec(text);
  if (parts === null) return undefined;
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = parts;
  const [m, d, h, min, s] = [month, day, hour, minute, second].map(Number);
  if (m === undefined || d === undefined || h === undefined || min === undefined || s === undefined) return undefined;
  if (h > 23 || min > 59 || s > 59) return undefined;
  const date = new Date(Date.UTC(Number(year), m - 1, d));
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) return undefined;
  const two = (number: number) => String(number).padStart(2, "0");
  const rest = fraction.slice(0, 9).replace(/0+$/, "");
  const shownZone = /^[-+]00:00$/.test(zone) ? "Z" : zone;
  const time = `${two(h)}:${two(min)}:${two(s)}${rest === "" ? "" : `.${rest}`}${shownZone}`;
  return new WrittenScalar(text, `${year}-${two(m)}-${two(d)}T${time}`);
}
