/** Reads scalars of JSON: each reader checks the type, and returns the form in which v1.21 would print the value. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { canonicalDuration } from "../../base/duration.ts";
import { parseIntOrString } from "../values/integer.ts";
import { canonicalQuantity } from "../values/quantity.ts";
import { parseMicroTime, parseTime } from "../values/time.ts";
import type { PlainSchema } from "./schema.ts";

type ScalarSchema = PlainSchema;

/** What is wrong with a value. Its path is built while the error propagates, so that it costs nothing otherwise. */
export class DecodeProblem extends Error {
  path = "";

  /** `step`: ".name" or "[0]". */
  inside(step: string): this {
    this.path = step + this.path;
    return this;
  }
}

/** `value` is neither null nor undefined: both are absent, which the caller handles. */
type ReadScalar = (value: unknown) => unknown;

/** A few quantities and times occur very often, and reading one costs as much as reading twenty strings. By text alone. */
const rememberedMax = 1024;
const rememberedCharsMax = 20;
const quantities = new Map<string, string>();
const times = new Map<string, string | null>();

function remember<Text extends string | null>(known: Map<string, Text>, given: string, canonical: Text): void {
  if (given.length > rememberedCharsMax) return;
  if (known.size >= rememberedMax) known.clear();
  known.set(given, canonical);
}

const timeExample = "a time such as 2006-01-02T15:04:05Z";

const readers: { readonly [T in ScalarSchema["type"]]: ReadScalar } = {
  string(value) {
    if (typeof value === "string") return value;
    throw mismatch("a string", value);
  },
  bool(value) {
    if (typeof value === "boolean") return value;
    throw mismatch("true or false", value);
  },
  int32: integerReader(-(2 ** 31), 2 ** 31 - 1),
  uint32: integerReader(0, 2 ** 32 - 1),
  int64(value) {
    if (typeof value === "number" && Number.isSafeInteger(value)) return value + 0;
    if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) {
      const short = Number(value);
      return Number.isSafeInteger(short) ? short : value;
    }
    throw mismatch("an integer of 64 bits", value);
  },
  double(value) {
    if (typeof value === "number" && Number.isFinite(value)) return value + 0;
    // Integers beyond 2^53, and numbers such as 3.0, which the codec boxes so that no integer field accepts them.
    if (typeof value === "bigint" || value instanceof Number) return Number(value);
    throw mismatch("a number", value);
  },
  bytes(value) {
    const text = typeof value === "string" ? canonicalBase64(value) : base64OfNumbers(value);
    if (text === undefined) throw mismatch("base64", value);
    return text;
  },
  quantity(value) {
    const known = typeof value === "string" ? quantities.get(value) : undefined;
    if (known !== undefined) {
      if (checksCaches) checkAnswer("canonical quantities", known, canonicalQuantity(value));
      return known;
    }
    const text = canonicalQuantity(value instanceof Number ? value.valueOf() : value);
    if (typeof value === "string" && text !== undefined) remember(quantities, value, text);
    if (text === undefined) throw mismatch("a quantity such as 500m, 2 or 1Gi", value);
    return text;
  },
  intOrString(value) {
    const read = parseIntOrString(value);
    if (read === undefined) throw mismatch("a string or an integer of 32 bits", value);
    return typeof read === "number" ? read + 0 : read;
  },
  time(value) {
    if (typeof value !== "string") throw mismatch(timeExample, value);
    const known = times.get(value);
    if (known !== undefined) {
      if (checksCaches) checkAnswer("canonical times", known, parseTime(value));
      return known;
    }
    const text = parseTime(value);
    if (text === undefined) throw mismatch(timeExample, value);
    remember(times, value, text);
    return text;
  },
  microTime(value) {
    const text = typeof value === "string" ? parseMicroTime(value) : undefined;
    if (text === undefined) throw mismatch("a time such as 2006-01-02T15:04:05.000000Z", value);
    return text;
  },
  duration(value) {
    const text = typeof value === "string" ? canonicalDuration(value) : undefined;
    if (text === undefined) throw mismatch("a duration such as 1h2m3s", value);
    return text;
  },
};

export function scalarReader(schema: ScalarSchema): ReadScalar {
  return readers[schema.type];
}

/** What an absent value is printed as. */
export function zeroScalar(schema: ScalarSchema): unknown {
  switch (schema.type) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "uint32":
    case "double":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    case "bytes":
    case "time":
    case "microTime":
      return null;
  }
}

/** Go reads a list of numbers as bytes, too. */
function base64OfNumbers(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const numbers = value.map((item: unknown) => (item === null ? 0 : item));
  const isByte = (item: unknown) => typeof item === "number" && Number.isInteger(item) && item >= 0 && item <= 255;
  return numbers.every(isByte) ? Buffer.from(numbers as number[]).toString("base64") : undefined;
}

export function mismatch(wanted: string, value: unknown): DecodeProblem {
  return new DecodeProblem(`must be ${wanted}, not ${describe(value)}`);
}

/** Clients match on "cannot restore map from string", so the message contains v1.21's wording. */
export function notMap(value: unknown): DecodeProblem {
  const found = Array.isArray(value) ? "slice" : typeof value === "boolean" ? "bool" : typeof value;
  return new DecodeProblem(`must be a map, not ${describe(value)}: cannot restore map from ${found}`);
}

function integerReader(minimum: number, maximum: number): ReadScalar {
  const wanted = `an integer from ${minimum} to ${maximum}`;
  return (value) => {
    // Adding 0 turns -0 into 0.
    if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum) return value + 0;
    throw mismatch(wanted, value);
  };
}

const shownCharsMax = 40;

function describe(value: unknown): string {
  if (typeof value === "string") {
    return value.length > shownCharsMax ? "a string of another form" : JSON.stringify(value);
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Number) return "a number with a fraction or an exponent";
  return Array.isArray(value) ? "a list" : "an object";
}

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** The last four characters, where the bits that the padding leaves over are zero. */
const endsInZeroBits = /[AQgw]==$|[AEIMQUYcgkosw048]=$/;

/** Undefined: not base64 with padding. Line breaks are skipped, and unused bits are zero in the result. */
function canonicalBase64(given: string): string | undefined {
  const text = given.includes("\n") || given.includes("\r") ? given.replace(/[\r\n]/g, "") : given;
  if (text.length % 4 !== 0 || !alphabet.test(text)) return undefined;
  if (!text.endsWith("=")) return text;
  const tail = text.length - 4;
  // An object may have tens of thousands of them.
  if (endsInZeroBits.test(text.slice(tail))) return text;
  return text.slice(0, tail) + Buffer.from(text.slice(tail), "base64").toString("base64");
}
