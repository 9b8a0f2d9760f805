/** Functions of lists: order, positions and parts. */

import { listCost, traversalFactor } from "../cost/constants.ts";
import { add, type CostRange, exactly, multiply, one, scale, unbounded } from "../cost/range.ts";
import type { Meter } from "../evaluate/frame.ts";
import { callItemsMax } from "../limits.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  optionalOf,
  param,
  string,
  type Type,
  timestamp,
  uint,
} from "../types/types.ts";
import { compare } from "../values/compare.ts";
import { contains, equal } from "../values/equal.ts";
import { itemsOf } from "../values/lists.ts";
import { sizeOf } from "../values/size.ts";
import { checkedDuration } from "../values/times.ts";
import { traversalCost } from "../values/traversal.ts";
import {
  ArrayList,
  Bytes,
  Duration,
  EvaluationError,
  hasType,
  List,
  Optional,
  Uint,
  type Value,
} from "../values/values.ts";
import {
  declare,
  type EstimatedCall,
  type FunctionDeclaration,
  member,
  overload,
  type SizedNode,
} from "./declaration.ts";
import { checkedInt, checkedUint } from "./operators.ts";

const T = param("T");
const comparable: readonly Type[] = [int, uint, double, bool, duration, timestamp, string, bytes];

/** Reading the list once; texts in it count their length. */
const once = {
  cost: ([list]: readonly Value[]) => traversalCost(list!),
  estimate: (call: EstimatedCall) => {
    const list = call.args[0]!;
    const item = call.itemOf(list);
    // What may be a text is estimated as one.
    if (item === undefined) return { cost: scale(list.size, traversalFactor) };
    const isText = item.type.kind === "string" || item.type.kind === "bytes";
    const each = isText ? add(one, scale(item.size, traversalFactor)) : one;
    return { cost: multiply(list.size, each) };
  },
};

/** A call that makes a list, with a cost for each unit of `size`. */
const made = (size: CostRange, factor = 1) => ({ cost: add(scale(size, factor), exactly(1 + listCost)), size });
const madeCost = (size: number, factor = 1) => Math.floor(size * factor) + 1 + listCost;

const output = (sizeOfResult: (call: EstimatedCall) => CostRange) => ({
  resultCost: (result: Value) => madeCost(sizeOf(result)),
  estimate: (call: EstimatedCall) => made(sizeOfResult(call)),
});

/** Each item with each other one. */
const selfComparison = (position: number, type?: Type) => ({
  cost: (args: readonly Value[]) => {
    const list = args[position];
    if (!(list instanceof List)) return madeCost(1, 2);
    const first = list.size > 0 ? list.at(0) : undefined;
    const isText = typeof first === "string" || first instanceof Bytes;
    return madeCost(list.size * list.size, isText ? 2 + traversalFactor : 2);
  },
  estimate: (call: EstimatedCall) => {
    const list = call.args[position]!;
    const kind = (type ?? call.itemOf(list)?.type)?.kind;
    const isText = kind === "string" || kind === "bytes";
    return made(multiply(list.size, list.size), isText ? 2 + traversalFactor : 2);
  },
});

/** A negative count counts as none. */
function literalCount(node: SizedNode | undefined, fallback: number): number {
  const expression = node?.expression;
  if (expression?.kind !== "literal" || typeof expression.value !== "bigint") return fallback;
  return Math.max(Number(expression.value), 0);
}

function isSorted(list: List, meter: Meter): Value {
  const over = meter.items(list.size);
  if (over !== undefined) return over;
  for (let at = 1; at < list.size; at++) {
    const order = compare(list.at(at - 1), list.at(at));
    if (typeof order !== "number") return order;
    if (order > 0) return false;
  }
  return true;
}

function extreme(list: List, name: string, sign: number, meter: Meter): Value {
  const over = meter.items(list.size);
  if (over !== undefined) return over;
  if (list.size === 0) return new EvaluationError(`${name} called on empty list`);
  let best = list.at(0);
  for (let at = 1; at < list.size; at++) {
    const item = list.at(at);
    const order = compare(item, best);
    if (typeof order !== "number") return order;
    if (order * sign > 0) best = item;
  }
  return best;
}

type Plus = (a: Value, b: Value) => Value;

function sum(list: List, type: Type, zero: Value, plus: Plus, meter: Meter): Value {
  const over = meter.items(list.size);
  if (over !== undefined) return over;
  let total = zero;
  for (let at = 0; at < list.size && !(total instanceof EvaluationError); at++) {
    const item = list.at(at);
    if (!hasType(item, type)) return item instanceof EvaluationError ? item : new EvaluationError("no such overload");
    total = plus(total, item);
  }
  return total;
}

const sums: readonly (readonly [Type, Value, Plus])[] = [
  [int, 0n, (a, b) => checkedInt((a as bigint) + (b as bigint))],
  [uint, new Uint(0n), (a, b) => checkedUint((a as Uint).value + (b as Uint).value)],
  [double, 0, (a, b) => (a as number) + (b as number)],
  [duration, new Duration(0n), (a, b) => checkedDuration((a as Duration).nanos + (b as Duration).nanos)],
];

function position(list: List, item: Value, meter: Meter, fromEnd: boolean): Value {
  const over = meter.items(list.size);
  if (over !== undefined) return over;
  for (let step = 0; step < list.size; step++) {
    const at = fromEnd ? list.size - 1 - step : step;
    const same = equal(list.at(at), item, meter);
    if (same === true) return BigInt(at);
    if (same !== false) return same;
  }
  return -1n;
}

/** In the order of the keys; items of equal keys stay as they are. */
function sortBy(list: List, keys: List, meter: Meter): Value {
  if (list.size !== keys.size) return new EvaluationError("the list and its keys have different sizes");
  const over = meter.items(list.size) ?? meter.work(list.size * Math.ceil(Math.log2(list.size + 1)));
  if (over !== undefined) return over;
  let failed: EvaluationError | undefined;
  const first = keys.size > 0 ? typeTag(keys.at(0)) : "";
  const order = Array.from({ length: list.size }, (_, at) => at).sort((a, b) => {
    const [left, right] = [keys.at(a), keys.at(b)];
    const result = compare(left, right);
    if (typeof result === "number" && typeTag(left) === first && typeTag(right) === first) return result;
    failed ??= typeof result === "number" ? new EvaluationError("list elements must have the same type") : result;
    return 0;
  });
  return failed ?? new ArrayList(order.map((at) => list.at(at)));
}

const typeTag = (value: Value): string =>
  typeof value === "object" && value !== null ? value.constructor.name : typeof value;

function distinct(list: List, meter: Meter): Value {
  const kept: Value[] = [];
  const keptList = new ArrayList(kept);
  for (const item of itemsOf(list)) {
    const found = contains(keptList, item, meter);
    if (found === false) kept.push(item);
    else if (found !== true) return found;
  }
  return keptList;
}

function flatten(list: List, depth: bigint, meter: Meter): Value {
  const into: Value[] = [];
  return flattenInto(into, list, depth, meter) ?? new ArrayList(into);
}

function flattenInto(into: Value[], list: List, depth: bigint, meter: Meter): EvaluationError | undefined {
  // What was made before counts as well: it is one call.
  const over = meter.items(list.size) ?? (into.length + list.size > callItemsMax ? tooManyItems : undefined);
  if (over !== undefined) return over;
  for (let at = 0; at < list.size; at++) {
    const item = list.at(at);
    if (!(item instanceof List) || depth <= 0n) {
      into.push(item);
      continue;
    }
    const tooMuch = flattenInto(into, item, depth - 1n, meter);
    if (tooMuch !== undefined) return tooMuch;
  }
  return undefined;
}

const tooManyItems = new EvaluationError("operation cancelled: actual cost limit exceeded", true);

function slice(list: List, start: bigint, end: bigint, meter: Meter): Value {
  if (start < 0n || end < 0n)
    return new EvaluationError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    return new EvaluationError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.size))
    return new EvaluationError(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  const [from, length] = [Number(start), Number(end - start)];
  return meter.items(length) ?? new ArrayList(Array.from({ length }, (_, at) => list.at(from + at)));
}

const rangeMax = 1_000_000n;

function range(count: bigint): Value {
  if (count < 0n) return new EvaluationError(`lists.range: size must be non-negative, got ${count}`);
  return count > rangeMax ? tooManyItems : new NumberRange(Number(count));
}

/** The numbers from 0 on, made when they are read. */
class NumberRange extends List {
  readonly size: number;
  constructor(size: number) {
    super();
    this.size = size;
  }
  at(index: number): Value {
    return BigInt(index);
  }
}

/** Each item of one list with each of the other. */
/** The arguments have the declared types; the casts below say so. */
export const lists: readonly FunctionDeclaration[] = [
  declare(
    "isSorted",
    "1.23",
    ...comparable.map((type) => member([listOf(type)], bool, ([list], meter) => isSorted(list as List, meter), once)),
  ),
  declare(
    "sum",
    "1.23",
    ...sums.map(([type, zero, plus]) =>
      member([listOf(type)], type, ([list], meter) => sum(list as List, type, zero, plus, meter), once),
    ),
  ),
  declare(
    "min",
    "1.23",
    ...comparable.map((type) =>
      member([listOf(type)], type, ([list], meter) => extreme(list as List, "min", -1, meter), once),
    ),
  ),
  declare(
    "max",
    "1.23",
    ...comparable.map((type) =>
      member([listOf(type)], type, ([list], meter) => extreme(list as List, "max", 1, meter), once),
    ),
  ),
  declare(
    "indexOf",
    "1.23",
    member([listOf(T), T], int, ([list, item], meter) => position(list as List, item!, meter, false), once),
  ),
  declare(
    "lastIndexOf",
    "1.23",
    member([listOf(T), T], int, ([list, item], meter) => position(list as List, item!, meter, true), once),
  ),
  declare(
    "slice",
    "1.34",
    member(
      [listOf(T), int, int],
      listOf(T),
      ([list, start, end], meter) => slice(list as List, start as bigint, end as bigint, meter),
      output(({ args: [list, start, end] }) => {
        const count = literalCount(end, list!.size.max) - literalCount(start, 0);
        return exactly(count < 0 ? unbounded : count);
      }),
    ),
  ),
  declare(
    "flatten",
    "1.34",
    member([listOf(listOf(T))], listOf(T), ([list], meter) => flatten(list as List, 1n, meter), {
      takes: [listOf(dyn)],
      cost: ([list]) => madeCost(sizeOf(list!)),
      estimate: ({ args }) => made(args[0]!.size),
    }),
    member(
      [listOf(dyn), int],
      listOf(dyn),
      ([list, depth], meter) =>
        (depth as bigint) < 0n
          ? new EvaluationError("level must be non-negative")
          : flatten(list as List, depth as bigint, meter),
      {
        // A negative depth is an error, and counts as one.
        cost: ([list, depth]) => madeCost(sizeOf(list!), typeof depth === "bigint" && depth >= 0n ? Number(depth) : 1),
        estimate: ({ args: [list, depth] }) => made(list!.size, literalCount(depth, unbounded)),
      },
    ),
  ),
  declare(
    "sort",
    "1.34",
    ...comparable.map((type) =>
      member([listOf(type)], listOf(type), ([list], meter) => sortBy(list as List, list as List, meter), {
        ...selfComparison(0, type),
        takes: [listOf(dyn)],
      }),
    ),
  ),
  declare(
    "@sortByAssociatedKeys",
    "1.34",
    ...comparable.map((type) =>
      member([listOf(T), listOf(type)], listOf(T), ([list, keys], meter) => sortBy(list as List, keys as List, meter), {
        ...selfComparison(1, type),
        takes: [listOf(dyn), listOf(dyn)],
      }),
    ),
  ),
  declare(
    "lists.range",
    "1.34",
    overload([int], listOf(int), ([count]) => range(count as bigint), {
      cost: ([count]) => madeCost(Math.max(Number(count), 0)),
      estimate: ({ args }) => made(exactly(literalCount(args[0], unbounded))),
    }),
  ),
  declare(
    "reverse",
    "1.34",
    member(
      [listOf(T)],
      listOf(T),
      ([list], meter) => meter.items((list as List).size) ?? new ArrayList([...itemsOf(list as List)].reverse()),
      output(({ args }) => args[0]!.size),
    ),
  ),
  declare(
    "distinct",
    "1.34",
    member([listOf(T)], listOf(T), ([list], meter) => distinct(list as List, meter), selfComparison(0)),
  ),
  declare(
    "first",
    "1.34",
    member([listOf(T)], optionalOf(T), ([list]) =>
      (list as List).size === 0 ? Optional.none : new Optional((list as List).at(0)),
    ),
  ),
  declare(
    "last",
    "1.34",
    member([listOf(T)], optionalOf(T), ([list]) =>
      (list as List).size === 0 ? Optional.none : new Optional((list as List).at((list as List).size - 1)),
    ),
  ),
];
