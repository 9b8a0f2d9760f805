/** Values that may be absent. */

import type { Meter } from "../evaluate/frame.ts";
import { bool, listOf, optionalOf, param } from "../types/types.ts";
import { itemsOf } from "../values/lists.ts";
import { ArrayList, EvaluationError, type List, Optional, type Value } from "../values/values.ts";
import { isZero } from "../values/zero.ts";
import { declare, type FunctionDeclaration, member, overload } from "./declaration.ts";

const T = param("T");

const unwrap = (list: Value | undefined, meter: Meter): Value =>
  meter.items((list as List).size) ??
  new ArrayList(
    itemsOf(list as List).flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
  );

export const optionals: readonly FunctionDeclaration[] = [
  declare(
    "optional.of",
    "1.28",
    overload([T], optionalOf(T), ([value]) => new Optional(value)),
  ),
  declare(
    "optional.ofNonZeroValue",
    "1.28",
    overload([T], optionalOf(T), ([value]) => (isZero(value!) ? Optional.none : new Optional(value))),
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
    member([optionalOf(T), optionalOf(T)], optionalOf(T), ([a, b]) => ((a as Optional).value !== undefined ? a! : b!)),
  ),
  declare(
    "orValue",
    "1.28",
    member([optionalOf(T), T], T, ([optional, other]) => (optional as Optional).value ?? other!),
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
