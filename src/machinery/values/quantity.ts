/** Quantities: decimals with a suffix ("500m", "1.5Gi", "12e6"), kept exactly and printed in their canonical form. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";

/**
 * The family of suffixes a quantity was written in; its canonical text stays in it if that loses nothing.
 * "DecimalSI": n u m k M G T P E, "BinarySI": Ki Mi Gi Ti Pi Ei, "DecimalExponent": e3, E-6.
 */
type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** `nano` is the exact value in billionths, the finest unit: anything finer was rounded away from zero. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
  /** Canonical: no fraction and the largest suffix that allows it, or what was written where the reference keeps that. */
  readonly text: string;
}

/** Longer texts are refused, so that no quantity costs more than a few microseconds. */
export const quantityCharsMax = 256;
/** Exponents beyond are refused; 10^256 is far beyond anything that can be counted. */
export const quantityExponentMax = 256;

const nanoDigits = 9;
const one = 10n ** BigInt(nanoDigits);
/** Binary quantities stop here. */
const binaryMax = (2n ** 63n - 1n) * one;

const decimalExponents = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const decimalSuffixes = new Map([...decimalExponents].map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** A few amounts are in nearly all objects, and each is parsed several times before it is stored. By text alone. */
const known = new Map<string, Quantity>();
const knownMax = 1_000;
const knownCharsMax = 16;

/** Reads a quantity; undefined: not a quantity. Signs, leading zeros and a missing side of the point are allowed. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > knownCharsMax) return parse(text);
  let quantity = known.get(text);
  if (quantity === undefined) {
    quantity = parse(text);
    if (quantity === undefined) return undefined;
    if (known.size >= knownMax) known.clear();
    known.set(text, quantity);
  } else if (checksCaches) checkAnswer("quantities", quantity, parse(text));
  return quantity;
}

function parse(text: string): Quantity | undefined {
  if (text.length === 0 || text.length > quantityCharsMax) return undefined;
  const parts = split(text);
  if (parts === undefined) return undefined;
  const { negative, whole, fraction, hasDigits, suffix } = parts;
  const digits = BigInt(whole + fraction);

  const binary = suffix === "" ? 0 : binarySuffixes.indexOf(suffix);
  if (binary > 0) {
    // In v1.21 a suffix alone is zero, except for the two largest.
    if (binary >= 5 && !hasDigits) return undefined;
    const scaled = roundUp((digits << BigInt(10 * binary)) * one, 10n ** BigInt(fraction.length));
    const amount = scaled > binaryMax ? binaryMax : scaled;
    const nano = negative ? -amount : amount;
    if (keepsBinaryText(parts, 10 * binary)) return { nano, format: "BinarySI", text };
    // Binary suffixes cannot express less than one.
    return make(nano, amount > 0n && amount < one ? "DecimalSI" : "BinarySI");
  }

  const si = decimalExponents.get(suffix);
  const exponent = si ?? parseExponent(suffix);
  if (exponent === undefined) return undefined;
  const shift = exponent - fraction.length + nanoDigits;
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : roundUp(digits, 10n ** BigInt(-shift));
  const nano = negative ? -amount : amount;
  const format = si === undefined ? "DecimalExponent" : "DecimalSI";
  return keepsDecimalText(parts, exponent) ? { nano, format, text } : make(nano, format);
}

/**
 * The reference takes most short texts as canonical without a closer look, and clients get back what they sent: "1.500", "+1", "007Gi",
 * "1E3". The next two say which; what they refuse is printed again.
 */
function keepsDecimalText({ whole, fraction }: Parts, exponent: number): boolean {
  const digits = withoutLeadingZeros(whole) + fraction;
  const scale = exponent - fraction.length;
  return digits.length <= 18 && scale >= -nanoDigits && scale % 3 === 0 && digits[0] !== "0" && !digits.endsWith("000");
}

function keepsBinaryText({ whole, fraction }: Parts, bits: number): boolean {
  const digits = withoutLeadingZeros(whole);
  return fraction === "" && digits.length + Math.trunc(bits * 0.3) <= 14 && BigInt(digits) % 8n !== 0n;
}

const withoutLeadingZeros = (digits: string) => digits.replace(/^0+(?=.)/, "");

/** The canonical text of what a client sent (JSON numbers are accepted too); undefined: not a quantity. */
export function canonicalQuantity(value: unknown): string | undefined {
  if (typeof value === "string") return parseQuantity(value.trim())?.text;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  return parseQuantity(String(value).replace("e+", "e"))?.text;
}

/** Negative, zero or positive, as `a - b`. Texts of different suffixes are equal when their values are. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** The sum, in the format of the first, or of the second where the first is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return make(a.nano + b.nano, a.nano === 0n ? b.format : a.format);
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return make(a.nano - b.nano, a.nano === 0n ? b.format : a.format);
}

/** The value in whole units, rounded away from zero. */
export function wholeValue(quantity: Quantity): bigint {
  return roundAway(quantity.nano, one);
}

/** The value in thousandths, rounded away from zero. */
export function milliValue(quantity: Quantity): bigint {
  return roundAway(quantity.nano, one / 1000n);
}

/** The quantity with nothing finer than thousandths, rounded away from zero; resource lists hold no more than that. */
export function roundToMilli(quantity: Quantity): Quantity {
  const rounded = milliValue(quantity) * (one / 1000n);
  return rounded === quantity.nano ? quantity : make(rounded, quantity.format);
}

function make(nano: bigint, format: QuantityFormat): Quantity {
  return { nano, format, text: canonicalText(nano, format) };
}

function canonicalText(nano: bigint, format: QuantityFormat): string {
  if (nano === 0n) return "0";
  if (format === "BinarySI" && nano % one === 0n) {
    let units = nano / one;
    if (units >= 1024n || units <= -1024n) {
      let power = 0;
      for (; power < binarySuffixes.length - 1 && units % 1024n === 0n; power++) units /= 1024n;
      return `${units}${binarySuffixes[power]}`;
    }
  }
  return decimalText(nano, format === "DecimalExponent");
}

function decimalText(nano: bigint, asExponent: boolean): string {
  const digits = String(nano);
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  let exponent = digits.length - end - nanoDigits;
  // Suffixes are powers of a thousand, so up to two zeros are added again. Beyond E only the number can grow.
  const largest = asExponent ? exponent : Math.min(exponent, 18);
  exponent = Math.floor(largest / 3) * 3;
  const number = digits.slice(0, digits.length - (exponent + nanoDigits));
  if (!asExponent) return number + decimalSuffixes.get(exponent);
  return exponent === 0 ? number : `${number}e${exponent}`;
}

interface Parts {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly hasDigits: boolean;
  readonly suffix: string;
}

/** One pass, character by character: the obvious regular expression is quadratic on long runs of digits. */
function split(text: string): Parts | undefined {
  let at = text[0] === "-" || text[0] === "+" ? 1 : 0;
  const wholeStart = at;
  at = skipDigits(text, at);
  const whole = text.slice(wholeStart, at);
  let fraction = "";
  if (text[at] === ".") {
    const start = at + 1;
    at = skipDigits(text, start);
    fraction = text.slice(start, at);
  }
  const hasDigits = whole !== "" || fraction !== "";
  return { negative: text[0] === "-", whole: whole === "" ? "0" : whole, fraction, hasDigits, suffix: text.slice(at) };
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  return at;
}

const isDigit = (code: number) => code >= 48 && code <= 57;

/** "e3", "E-6", "e+2". */
function parseExponent(suffix: string): number | undefined {
  if (suffix[0] !== "e" && suffix[0] !== "E") return undefined;
  const start = suffix[1] === "-" || suffix[1] === "+" ? 2 : 1;
  if (start === suffix.length || skipDigits(suffix, start) !== suffix.length) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) <= quantityExponentMax ? exponent : undefined;
}

/** `dividend` is not negative. */
function roundUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function roundAway(dividend: bigint, divisor: bigint): bigint {
  return dividend < 0n ? -roundUp(-dividend, divisor) : roundUp(dividend, divisor);
}

/** Negative, zero or positive, as `a` is less than, equal to or more than `b`. Decoding has checked both. */
export function compareAmounts(a: string, b: string): number {
  return compareQuantities(quantityOf(a), quantityOf(b));
}

/** Parses a text that decoding has checked. */
export function quantityOf(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new TypeError(`not a quantity: ${text.slice(0, 40)}`);
  return quantity;
}
