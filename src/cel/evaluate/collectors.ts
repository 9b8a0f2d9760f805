/** What the macros of loops make of their items, with the costs that their expansions have in the reference. */

import { listCost, selectCost } from "../cost/constants.ts";
import type { ComprehensionExpression } from "../syntax/ast.ts";
import { keyText } from "../values/member.ts";
import { ArrayList, Dictionary, EntryMap, EvaluationError, type Value } from "../values/values.ts";
import { noOverload } from "./evaluation-plan.ts";
import type { Frame } from "./frame.ts";

export type LoopMacro = Exclude<ComprehensionExpression["macro"], "bind">;

/** The filter takes the item: it is transformed and added. */
export const accepted = Symbol("accepted");

/**
 * One loop in progress. Methods return the value with which the loop ends; undefined: it goes on. An error does not end a loop, since a later
 * item may decide `all` and `exists`; loops that make something go on as well, and count what the reference counts.
 */
export interface Collector {
  /** Before the filter of an item is evaluated. */
  begin(): Value | undefined;
  filtered(answer: Value): Value | undefined | typeof accepted;
  /** Whether items are still transformed; no longer after an error. */
  readonly isOpen: boolean;
  /** Instead of `add` once it is not open. */
  skip(): Value | undefined;
  /** Takes a transformed item; `key` is the first variable. */
  add(key: Value, item: Value): Value | undefined;
  end(): Value;
}

interface Making {
  /** The list around each item of `map` is a constant. */
  readonly isConstant: boolean;
}

export function collectorOf(macro: LoopMacro, frame: Frame, making: Making): Collector {
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
      return new ListMaker(frame, making.isConstant ? 0 : listCost);
    case "transformMap":
    case "transformMapEntry":
      return new MapMaker(frame, macro === "transformMapEntry");
  }
}

/** Reads the accumulator and asks whether to go on; `exists` negates it as well. */
const conditionCost = { all: selectCost + 1, exists: selectCost + 2 };

class Quantifier implements Collector {
  readonly isOpen = true;
  readonly #frame: Frame;
  readonly #stop: boolean;
  readonly #cost: number;
  #failed: EvaluationError | undefined;
  #isDecided = false;

  constructor(frame: Frame, stop: boolean) {
    this.#frame = frame;
    this.#stop = stop;
    this.#cost = stop ? conditionCost.exists : conditionCost.all;
  }

  begin(): Value | undefined {
    const over = this.#frame.charge(this.#cost);
    if (over !== undefined) return over;
    return this.#isDecided ? this.end() : this.#frame.charge(selectCost);
  }

  filtered(answer: Value): Value | undefined {
    if (answer === this.#stop) this.#isDecided = true;
    else if (answer !== !this.#stop) {
      const error = answer instanceof EvaluationError ? answer : noOverload;
      if (error.isFatal) return error;
      this.#failed ??= error;
    }
    return undefined;
  }

  skip(): undefined {
    return undefined;
  }

  add(): undefined {
    return undefined;
  }

  end(): Value {
    return this.#frame.charge(selectCost) ?? (this.#isDecided ? this.#stop : (this.#failed ?? !this.#stop));
  }
}

/** The accumulator is read and increased where the filter is true; in the end it is compared with one. */
class Counter implements Collector {
  readonly isOpen = true;
  readonly #frame: Frame;
  #count = 0;
  #failed: EvaluationError | undefined;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  begin(): undefined {
    return undefined;
  }

  filtered(answer: Value): Value | undefined {
    if (answer === false) return undefined;
    if (answer === true) {
      if (this.#failed !== undefined) return this.#frame.charge(selectCost);
      this.#count++;
      return this.#frame.charge(selectCost + 1);
    }
    this.#failed = answer instanceof EvaluationError ? answer : noOverload;
    return this.#failed.isFatal ? this.#failed : undefined;
  }

  skip(): undefined {
    return undefined;
  }

  add(): undefined {
    return undefined;
  }

  end(): Value {
    if (this.#failed !== undefined) return this.#frame.charge(selectCost) ?? this.#failed;
    return this.#frame.charge(selectCost + 1) ?? this.#count === 1;
  }
}

/** Makes a value of the items that the filter takes; an item that it does not take costs nothing. */
abstract class Maker implements Collector {
  protected readonly frame: Frame;
  #failed: EvaluationError | undefined;

  constructor(frame: Frame) {
    this.frame = frame;
  }

  get isOpen(): boolean {
    return this.#failed === undefined;
  }

  begin(): undefined {
    return undefined;
  }

  filtered(answer: Value): Value | undefined | typeof accepted {
    if (answer === true) return accepted;
    if (answer === false) return undefined;
    return this.#fail(answer instanceof EvaluationError ? answer : noOverload);
  }

  skip(): Value | undefined {
    return this.frame.charge(selectCost);
  }

  add(key: Value, item: Value): Value | undefined {
    const problem = item instanceof EvaluationError ? item : this.take(key, item);
    return (problem && this.#fail(problem)) ?? this.frame.charge(this.cost);
  }

  end(): Value {
    return this.frame.charge(selectCost) ?? this.#failed ?? this.made;
  }

  #fail(error: EvaluationError): EvaluationError | undefined {
    this.#failed = error;
    return error.isFatal ? error : undefined;
  }

  /** What adding an item costs, without the item. */
  protected abstract readonly cost: number;
  protected abstract take(key: Value, item: Value): EvaluationError | undefined;
  protected abstract readonly made: Value;
}

class ListMaker extends Maker {
  readonly #items: Value[] = [];
  protected readonly cost: number;

  constructor(frame: Frame, costOfList: number) {
    super(frame);
    this.cost = selectCost + costOfList + 1;
  }

  protected take(_key: Value, item: Value): undefined {
    this.#items.push(item);
  }

  protected get made(): Value {
    return new ArrayList(this.#items);
  }
}

class MapMaker extends Maker {
  protected readonly made = new EntryMap();
  protected readonly cost: number;
  readonly #isEntry: boolean;

  constructor(frame: Frame, isEntry: boolean) {
    super(frame);
    this.#isEntry = isEntry;
    this.cost = isEntry ? selectCost + 1 : 2 * selectCost + 1;
  }

  protected take(key: Value, item: Value): EvaluationError | undefined {
    return this.#isEntry ? insertAll(this.made, item) : insert(this.made, key, item);
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

function insert(map: EntryMap, key: Value, value: Value): EvaluationError | undefined {
  if (map.has(key)) return new EvaluationError(`insert failed: key ${keyText(key)} already exists`);
  map.set(key, value);
  return undefined;
}
