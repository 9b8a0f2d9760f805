/** Values that may be absent. */

import { one, union } from "../cost/range.ts";
import type { Meter } from "../evaluate/frame.ts";
import { bool, listOf, optionalOf, param } from "../types/types.ts";
import { itemsOf } from "../values/lists.ts";
import { ArrayList, EvaluationError, type List, Optional, type Value } from "../values/values.ts";
import { isZero } from "../values/zero.ts";
import { declare, type EstimatedCall, type FunctionDeclaration, member, overload } from "./declaration.ts";

const T = param("T");

/** Results are as large as what is in the optional. */
const sameSize = { estimate: ({ args }: EstimatedCall) => ({ cost: one, size: args[0]!.size }) };
const eitherSize = {
  estimate: ({ args }: EstimatedCall) => ({ cost: one, size: union(args[0]!.size, args[1]!.size) }),
};

const unwrap = (list: Value | undefined, meter: Meter): Value =>
  meter.items((list as List).size) ??
  new ArrayList(
    itemsOf(list as List).flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
  );

export const optionals: readonly FunctionDeclaration[] = [
  declare(
    "optional.of",
    "1.28",
    overload([T], optionalOf(T), ([value]) => new Optional(value), sameSize),
  ),
  declare(
    "optional.ofNonZeroValue",
    "1.28",
    overload([T], optionalOf(T), ([value]) => (isZero(value!) ? Optional.none : new Optional(value)), sameSize),
  ),
  declare(
    "optional.none",
    "1.28",
    overload([], optionalOf(T), () => Optional.none),
  ),
  declare(
    "value",
    "1.28",
    member(
      [optionalOf(T)],
      T,
      ([optional]) => (optional as Optional).value ?? new EvaluationError("optional.none() dereference"),
      sameSize,
    ),
  ),
  declare(
    "hasValue",
    "1.28",
    member([optionalOf(T)], bool, ([optional]) => (optional as Optional).value !== undefined),
  ),
  // Evaluation reads the alternative only if it is needed.
  declare(
    "or",
    "1.28",
    member(
      [optionalOf(T), optionalOf(T)],
      optionalOf(T),
      ([a, b]) => ((a as Optional).value !== undefined ? a! : b!),
      eitherSize,
    ),
  ),
  declare(
    "orValue",
    "1.28",
    member([optionalOf(T), T], T, ([optional, other]) => (optional as Optional).value ?? other!, eitherSize),
  ),
  declare(
    "optional.unwrap",
    "1.34",
    overload([listOf(optionalOf(T))], listOf(T), ([list], meter) => unwrap(list, meter)),
  ),
  declare(
    "unwrapOpt",
    "1.34",
    member([listOf(optionalOf(T))], listOf(T), ([list], meter) => unwrap(list, meter)),
  ),
];
