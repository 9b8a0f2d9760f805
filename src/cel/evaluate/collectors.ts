/** What the macros of loops make of their items, with the costs that their expansions have in the reference. */

import { listCost, mapCost, selectCost } from "../cost/constants.ts";
import type { ComprehensionExpression } from "../syntax/ast.ts";
import { ArrayList, Dictionary, EntryMap, EvaluationError, type Value } from "../values/values.ts";
import type { Frame } from "./frame.ts";
import { insert, noOverload } from "./plan.ts";

export type LoopMacro = Exclude<ComprehensionExpression["macro"], "bind">;

/** The filter takes the item: it is transformed and added. */
export const accepted = Symbol("accepted");

/** One loop in progress. Methods return the value with which the loop ends; undefined: it goes on. */
export interface Collector {
  /** Before the filter of an item is evaluated. */
  begin(): Value | undefined;
  filtered(answer: Value): Value | undefined | typeof accepted;
  /** Takes a transformed item; `key` is the first variable. */
  add(key: Value, item: Value): Value | undefined;
  end(): Value;
}

export function collectorOf(macro: LoopMacro, frame: Frame): Collector {
  switch (macro) {
    case "all":
      return new Quantifier(frame, false);
    case "exists":
      return new Quantifier(frame, true);
    case "exists_one":
      return new Counter(frame);
    case "map":
    case "filter":
    case "transformList":
      return new ListMaker(frame);
    case "transformMap":
    case "transformMapEntry":
      return new MapMaker(frame, macro === "transformMapEntry");
  }
}

/** The condition reads the accumulator and asks whether to go on; `exists` negates it as well. */
const quantifierCost = { all: selectCost + 1 + selectCost, exists: selectCost + 2 + selectCost };

class Quantifier implements Collector {
  readonly #frame: Frame;
  readonly #stop: boolean;
  readonly #cost: number;
  #failed: EvaluationError | undefined;

  constructor(frame: Frame, stop: boolean) {
    this.#frame = frame;
    this.#stop = stop;
    this.#cost = stop ? quantifierCost.exists : quantifierCost.all;
  }

  begin(): Value | undefined {
    return this.#frame.charge(this.#cost);
  }

  filtered(answer: Value): Value | undefined {
    if (answer === this.#stop) return answer;
    if (answer === !this.#stop) return undefined;
    const error = answer instanceof EvaluationError ? answer : noOverload;
    if (error.isFatal) return error;
    this.#failed ??= error;
    return undefined;
  }

  add(): undefined {
    return undefined;
  }

  end(): Value {
    return this.#frame.charge(selectCost) ?? this.#failed ?? !this.#stop;
  }
}

/** The accumulator is read, and increased where the filter is true; in the end it is compared with one. */
class Counter implements Collector {
  readonly #frame: Frame;
  #count = 0;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  begin(): undefined {
    return undefined;
  }

  filtered(answer: Value): Value | undefined {
    if (typeof answer !== "boolean") return answer instanceof EvaluationError ? answer : noOverload;
    if (answer) this.#count++;
    return this.#frame.charge(answer ? selectCost + 1 : selectCost);
  }

  add(): undefined {
    return undefined;
  }

  end(): Value {
    return this.#frame.charge(selectCost + 1) ?? this.#count === 1;
  }
}

/** Makes a value of the items that the filter takes; an item that it does not take costs the reading of the accumulator. */
abstract class Maker implements Collector {
  protected readonly frame: Frame;

  constructor(frame: Frame) {
    this.frame = frame;
  }

  begin(): undefined {
    return undefined;
  }

  filtered(answer: Value): Value | undefined | typeof accepted {
    if (answer === true) return accepted;
    if (answer === false) return this.frame.charge(selectCost);
    return answer instanceof EvaluationError ? answer : noOverload;
  }

  abstract add(key: Value, item: Value): Value | undefined;
  abstract end(): Value;
}

class ListMaker extends Maker {
  readonly #items: Value[] = [];

  add(_key: Value, item: Value): Value | undefined {
    if (item instanceof EvaluationError) return item;
    this.#items.push(item);
    return this.frame.charge(selectCost + listCost + 1);
  }

  end(): Value {
    return this.frame.charge(selectCost) ?? new ArrayList(this.#items);
  }
}

class MapMaker extends Maker {
  readonly #isEntry: boolean;
  readonly #map = new EntryMap();

  constructor(frame: Frame, isEntry: boolean) {
    super(frame);
    this.#isEntry = isEntry;
  }

  add(key: Value, item: Value): Value | undefined {
    if (item instanceof EvaluationError) return item;
    const problem = this.#isEntry ? insertAll(this.#map, item) : insert(this.#map, key, item);
    return problem ?? this.frame.charge(2 * selectCost + 1);
  }

  end(): Value {
    return this.frame.charge(mapCost) ?? this.#map;
  }
}

function insertAll(map: EntryMap, entries: Value): EvaluationError | undefined {
  if (!(entries instanceof Dictionary)) return noOverload;
  for (const key of entries.keys()) {
    const problem = insert(map, key, entries.get(key)!);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
