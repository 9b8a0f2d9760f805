/** Conversions between types, `type()` and `size()`. */

import { traversalFactor } from "../cost/constants.ts";
import { bounded, scale } from "../cost/range.ts";
import {
  bool,
  bytes,
  double,
  duration,
  int,
  listOf,
  mapOf,
  param,
  string,
  timestamp,
  typeOf,
  uint,
} from "../types/types.ts";
import { doubleText } from "../values/number-text.ts";
import { listKeys, sizeOf } from "../values/size.ts";
import {
  checkedTimestamp,
  durationText,
  parseDurationText,
  parseTimestamp,
  timestampSeconds,
  timestampText,
} from "../values/times.ts";
import {
  Bytes,
  Dictionary,
  type Duration,
  EvaluationError,
  type Timestamp,
  TypeValue,
  typeNameOf,
  type Uint,
  type Value,
} from "../values/values.ts";
import { declare, type FunctionDeclaration, member, type Overload, overload } from "./declaration.ts";
import { checkedInt, checkedUint } from "./operators.ts";

const T = param("T");
const K = param("K");
const V = param("V");

const same: Overload["call"] = ([value]) => value!;
const failed = (text: string, type: string) =>
  new EvaluationError(`type conversion error from '${text.slice(0, 64)}' to '${type}'`);

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

const digitsMax = 64;

function intOf(text: string): Value {
  return text.length <= digitsMax && /^[+-]?[0-9]+$/.test(text)
    ? checkedInt(BigInt(text.replace(/^\+/, "")))
    : failed(text, "int");
}

function uintOf(text: string): Value {
  return text.length <= digitsMax && /^[0-9]+$/.test(text) ? checkedUint(BigInt(text)) : failed(text, "uint");
}

function doubleOf(text: string): Value {
  if (/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : failed(text, "double");
  }
  if (/^[+-]?inf(?:inity)?$/i.test(text))
    return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^nan$/i.test(text) ? Number.NaN : failed(text, "double");
}

/** Whole numbers of doubles: within 64 bits, where the bounds themselves are not exact. */
function truncated(value: number, check: (value: bigint) => Value, type: string): Value {
  if (
    !Number.isFinite(value) ||
    Math.abs(value) >= 2 ** 64 ||
    (type === "int" && (value >= 2 ** 63 || value <= -(2 ** 63)))
  )
    return new EvaluationError("integer overflow");
  return check(BigInt(Math.trunc(value)));
}

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

function textOf({ value }: Bytes): Value {
  try {
    return decoder.decode(value);
  } catch {
    return new EvaluationError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

const sized = [string, bytes, listOf(T), mapOf(K, V)] as const;
const size: Overload["call"] = ([value], meter) => {
  const over =
    typeof value === "string" && value.length > 256
      ? meter.work(value.length >> 4)
      : value instanceof Dictionary
        ? listKeys(value, meter)
        : undefined;
  return over ?? BigInt(sizeOf(value!));
};

export const conversions: readonly FunctionDeclaration[] = [
  declare(
    "type",
    "1.23",
    overload([T], typeOf(T), ([value]) => new TypeValue(typeNameOf(value!))),
  ),
  declare("size", "1.23", ...sized.flatMap((type) => [overload([type], int, size), member([type], int, size)])),
  declare(
    "int",
    "1.23",
    overload([int], int, same),
    overload([uint], int, ([value]) => checkedInt((value as Uint).value)),
    overload([double], int, ([value]) => truncated(value as number, checkedInt, "int")),
    overload([string], int, ([value]) => intOf(value as string)),
    overload([timestamp], int, ([value]) => timestampSeconds(value as Timestamp)),
    overload([duration], int, ([value]) => (value as Duration).nanos),
  ),
  declare(
    "uint",
    "1.23",
    overload([uint], uint, same),
    overload([int], uint, ([value]) => checkedUint(value as bigint)),
    overload([double], uint, ([value]) => truncated(value as number, checkedUint, "uint")),
    overload([string], uint, ([value]) => uintOf(value as string)),
  ),
  declare(
    "double",
    "1.23",
    overload([double], double, same),
    overload([int], double, ([value]) => Number(value as bigint)),
    overload([uint], double, ([value]) => Number((value as Uint).value)),
    overload([string], double, ([value]) => doubleOf(value as string)),
  ),
  declare(
    "bool",
    "1.23",
    overload([bool], bool, same),
    overload([string], bool, ([value]) => booleans.get(value as string) ?? failed(value as string, "bool")),
  ),
  declare(
    "bytes",
    "1.23",
    overload([bytes], bytes, same),
    overload([string], bytes, ([value]) => new Bytes(encoder.encode(value as string)), {
      cost: ([value]) => Math.ceil(sizeOf(value!) * traversalFactor),
      estimate: ({ args: [value] }) => ({
        cost: scale(value!.size, traversalFactor),
        size: { min: value!.size.min, max: bounded(value!.size.max * 4) },
      }),
    }),
  ),
  declare(
    "string",
    "1.23",
    overload([string], string, same),
    overload([bool], string, ([value]) => String(value)),
    overload([int], string, ([value]) => String(value)),
    overload([uint], string, ([value]) => String((value as Uint).value)),
    overload([double], string, ([value]) => doubleText(value as number)),
    overload([duration], string, ([value]) => durationText(value as Duration)),
    overload([timestamp], string, ([value]) => timestampText(value as Timestamp)),
    overload([bytes], string, ([value]) => textOf(value as Bytes), {
      cost: ([value]) => Math.ceil(sizeOf(value!) * traversalFactor),
      estimate: ({ args: [value] }) => ({
        cost: scale(value!.size, traversalFactor),
        size: { min: Math.floor(value!.size.min / 4), max: value!.size.max },
      }),
    }),
  ),
  declare(
    "duration",
    "1.23",
    overload([duration], duration, same),
    overload([string], duration, ([value]) => parseDurationText(value as string)),
  ),
  declare(
    "timestamp",
    "1.23",
    overload([timestamp], timestamp, same),
    overload([string], timestamp, ([value]) => parseTimestamp(value as string)),
    overload([int], timestamp, ([value]) => checkedTimestamp((value as bigint) * 1_000_000_000n)),
  ),
];
