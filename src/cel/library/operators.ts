/** Arithmetic, order, equality, indexes and membership. `&&`, `||` and `?:` are evaluated elsewhere; only their types are here. */

import type { Release } from "../../base/release.ts";
import { traversalFactor } from "../cost/constants.ts";
import { add, type CostRange, exactly, scale, union } from "../cost/range.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  optionalOf,
  param,
  string,
  type Type,
  timestamp,
  typeName,
  uint,
} from "../types/types.ts";
import { compare } from "../values/compare.ts";
import { contains, equal } from "../values/equal.ts";
import { addLists } from "../values/lists.ts";
import { sizeOf, smallerSize } from "../values/size.ts";
import { addDurations, addToTimestamp, subtractTimestamps } from "../values/times.ts";
import {
  Bytes,
  type Dictionary,
  type Duration,
  EvaluationError,
  int64Max,
  int64Min,
  type List,
  Opaque,
  type Timestamp,
  Uint,
  uint64Max,
  type Value,
} from "../values/values.ts";
import {
  type CallEstimate,
  declare,
  type EstimatedCall,
  type FunctionDeclaration,
  type Overload,
  overload,
} from "./declaration.ts";

const T = param("T");
const K = param("K");
const V = param("V");

const noOverload = new EvaluationError("no such overload");
const overflow = new EvaluationError("integer overflow");
const unsignedOverflow = new EvaluationError("unsigned integer overflow");

export function checkedInt(value: bigint): Value {
  return value > int64Max || value < int64Min ? overflow : value;
}
export function checkedUint(value: bigint): Value {
  return value > uint64Max || value < 0n ? unsignedOverflow : new Uint(value);
}

function arithmetic(
  ints: (a: bigint, b: bigint) => bigint | EvaluationError,
  doubles?: (a: number, b: number) => number,
) {
  const checked = (check: (value: bigint) => Value, a: bigint, b: bigint) => {
    const result = ints(a, b);
    return result instanceof EvaluationError ? result : check(result);
  };
  const overloads = [
    overload([int, int], int, ([a, b]) => checked(checkedInt, a as bigint, b as bigint)),
    overload([uint, uint], uint, ([a, b]) => checked(checkedUint, (a as Uint).value, (b as Uint).value)),
  ];
  if (doubles !== undefined)
    overloads.unshift(overload([double, double], double, ([a, b]) => doubles(a as number, b as number)));
  return overloads;
}

const byZero = (what: string, compute: (a: bigint, b: bigint) => bigint) => (a: bigint, b: bigint) =>
  b === 0n ? new EvaluationError(`${what} by zero`) : compute(a, b);

const concatenation = {
  cost: ([a, b]: readonly Value[]) => Math.ceil((sizeOf(a!) + sizeOf(b!)) * traversalFactor),
  estimate: ({ args: [a, b] }: EstimatedCall) => {
    const size = add(a!.size, b!.size);
    return { cost: scale(size, traversalFactor), size };
  },
};

/** Comparisons read as much as the shorter side has. */
const comparison = {
  cost: ([a, b]: readonly Value[]) => Math.ceil(smallerSize(a!, b!) * traversalFactor),
  estimate: ({ args: [a, b] }: EstimatedCall): CallEstimate => ({ cost: comparisonCost(a!.size, b!.size) }),
};

function comparisonCost(a: CostRange, b: CostRange): CostRange {
  const max = Math.min(a.max, b.max);
  return scale({ min: max > 0 ? 1 : 0, max }, traversalFactor);
}

/** Since when numbers of two types have an order where their types are known. */
const mixedNumbersSince: Release = "1.28";

/** Types of which order needs no reading. */
const constantOrder: readonly Type[] = [bool, int, uint, double, timestamp, duration];

function order(name: string, test: (order: number) => boolean): FunctionDeclaration {
  const call: Overload["call"] = ([a, b]) => {
    const result = compare(a!, b!);
    return typeof result === "number" ? test(result) : result;
  };
  const numbers = [int, uint, double];
  const mixed = numbers.flatMap((a) =>
    numbers.filter((b) => b !== a).map((b) => ({ ...overload([a, b], bool, call), since: mixedNumbersSince })),
  );
  return declare(
    name,
    "1.23",
    ...constantOrder.map((type) => overload([type, type], bool, call)),
    overload([string, string], bool, call, comparison),
    overload([bytes, bytes], bool, call, comparison),
    ...mixed,
  );
}

/** Values of libraries; undefined: the type has others. */
function opaqueComparison(type: Type): CostRange | undefined {
  if (type.kind !== "object" || type.fields.size > 0) return undefined;
  return type.name === "NamedFormat" ? scale({ min: 1, max: formatNameMax }, traversalFactor) : exactly(1);
}

/** The longest name that a format may have. */
const formatNameMax = 64;

const equality = (isEqual: boolean) =>
  overload(
    [T, T],
    bool,
    ([a, b], meter) => {
      const same = equal(a!, b!, meter);
      return typeof same === "boolean" ? same === isEqual : same;
    },
    {
      // As in the reference, only equality knows that values of libraries are small.
      cost: (values) => (isEqual && values[0] instanceof Opaque ? 1 : comparison.cost(values)),
      estimate: ({ args: [a, b], has }) => ({
        cost:
          (isEqual && has("opaqueEquality") && typeName(a!.type) === typeName(b!.type)
            ? opaqueComparison(a!.type)
            : undefined) ?? comparisonCost(a!.size, b!.size),
      }),
    },
  );

/** Paths are evaluated step by step, where they are planned; only types are here. */
const planned: Overload["call"] = ([value]) => value!;

const inList: Overload = overload([T, listOf(T)], bool, ([item, list], meter) => contains(list as List, item!, meter), {
  cost: ([, list]) => sizeOf(list!),
  estimate: ({ args }) => ({ cost: args[1]!.size }),
});

/** An operand without a type, such as an item of `[]`, has that of the first overload: the order is the reference's. */
export const operators: readonly FunctionDeclaration[] = [
  declare(
    "_?_:_",
    "1.23",
    overload([bool, T, T], T, ([condition, yes, no]) => (condition === true ? yes! : no!), {
      estimate: ({ args }) => ({ cost: exactly(0), size: union(args[1]!.size, args[2]!.size) }),
    }),
  ),
  declare(
    "_&&_",
    "1.23",
    overload([bool, bool], bool, ([a, b]) => a === true && b === true),
  ),
  declare(
    "_||_",
    "1.23",
    overload([bool, bool], bool, ([a, b]) => a === true || b === true),
  ),
  declare(
    "!_",
    "1.23",
    overload([bool], bool, ([a]) => a !== true),
  ),
  declare(
    "@not_strictly_false",
    "1.23",
    overload([bool], bool, ([a]) => a !== false),
  ),
  declare("_==_", "1.23", equality(true)),
  declare("_!=_", "1.23", equality(false)),
  order("_<_", (result) => result < 0),
  order("_<=_", (result) => result <= 0),
  order("_>_", (result) => result > 0),
  order("_>=_", (result) => result >= 0),
  declare(
    "_+_",
    "1.23",
    overload(
      [bytes, bytes],
      bytes,
      ([a, b]) => new Bytes(Buffer.concat([(a as Bytes).value, (b as Bytes).value])),
      concatenation,
    ),
    ...arithmetic(
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    overload([string, string], string, ([a, b]) => (a as string) + (b as string), concatenation),
    overload([listOf(T), listOf(T)], listOf(T), ([a, b], meter) => addLists(a as List, b as List, meter), {
      cost: () => 1,
      estimate: ({ args: [a, b] }) => ({ cost: exactly(1), size: add(a!.size, b!.size) }),
    }),
    overload([duration, duration], duration, ([a, b]) => addDurations(a as Duration, b as Duration, 1n)),
    overload([timestamp, duration], timestamp, ([a, b]) => addToTimestamp(a as Timestamp, (b as Duration).nanos)),
    overload([duration, timestamp], timestamp, ([a, b]) => addToTimestamp(b as Timestamp, (a as Duration).nanos)),
  ),
  declare(
    "_-_",
    "1.23",
    ...arithmetic(
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    overload([duration, duration], duration, ([a, b]) => addDurations(a as Duration, b as Duration, -1n)),
    overload([timestamp, duration], timestamp, ([a, b]) => addToTimestamp(a as Timestamp, -(b as Duration).nanos)),
    overload([timestamp, timestamp], duration, ([a, b]) => subtractTimestamps(a as Timestamp, b as Timestamp)),
  ),
  declare(
    "_*_",
    "1.23",
    ...arithmetic(
      (a, b) => a * b,
      (a, b) => a * b,
    ),
  ),
  declare(
    "_/_",
    "1.23",
    ...arithmetic(
      byZero("division", (a, b) => a / b),
      (a, b) => a / b,
    ),
  ),
  declare("_%_", "1.23", ...arithmetic(byZero("modulus", (a, b) => a % b))),
  declare(
    "-_",
    "1.23",
    overload([double], double, ([a]) => -(a as number)),
    overload([int], int, ([a]) => checkedInt(-(a as bigint))),
  ),
  declare(
    "_[_]",
    "1.23",
    overload([listOf(T), int], T, planned),
    overload([mapOf(K, V), K], V, planned),
    overload([optionalOf(listOf(T)), int], optionalOf(T), planned),
    overload([optionalOf(mapOf(K, V)), K], optionalOf(V), planned),
  ),
  declare(
    "_[?_]",
    "1.28",
    overload([listOf(T), int], optionalOf(T), planned),
    overload([mapOf(K, V), K], optionalOf(V), planned),
    overload([optionalOf(listOf(T)), int], optionalOf(T), planned),
    overload([optionalOf(mapOf(K, V)), K], optionalOf(V), planned),
  ),
  declare(
    "@in",
    "1.23",
    inList,
    overload([K, mapOf(K, V)], bool, ([key, map]) =>
      (map as Dictionary).takesOnlyTexts && typeof key !== "string" ? noOverload : (map as Dictionary).has(key!),
    ),
  ),
  declare(
    "dyn",
    "1.23",
    overload([T], dyn, ([value]) => value!),
  ),
  declare(
    "cel.@mapInsert",
    "1.32",
    overload([mapOf(K, V), K, V], mapOf(K, V), ([map]) => map!),
    overload([mapOf(K, V), mapOf(K, V)], mapOf(K, V), ([map]) => map!),
  ),
];
