/** Joined lists, without copies unless one of them is a set or a list of maps. */

import type { Meter } from "../evaluate/frame.ts";
import { contains } from "./equal.ts";
import { ArrayList, type EvaluationError, List, type Value } from "./values.ts";

/** Adding to a set leaves out what it has; adding to a list of maps replaces items of the same keys. */
export function addLists(a: List, b: List, meter: Meter): List | EvaluationError {
  if (a.equality === "set") return addToSet(a, b, meter);
  if (a.equality === "map") return addByKey(a, b, meter);
  if (a.size === 0) return b.equality === "order" ? b : (meter.items(b.size) ?? new ArrayList(itemsOf(b)));
  if (b.size === 0) return a;
  return new JoinedList(a, b);
}

/** Two lists one after the other, without a copy. */
class JoinedList extends List {
  readonly size: number;
  readonly #first: List;
  readonly #second: List;
  constructor(first: List, second: List) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }
  at(index: number): Value {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size);
  }
}

export function itemsOf(list: List): readonly Value[] {
  if (list instanceof ArrayList) return list.items;
  return Array.from({ length: list.size }, (_, at) => list.at(at));
}

function addToSet(a: List, b: List, meter: Meter): List | EvaluationError {
  const over = meter.items(a.size + b.size);
  if (over !== undefined) return over;
  const items = [...itemsOf(a)];
  for (const item of itemsOf(b)) {
    const found = contains(a, item, meter);
    if (found === false) items.push(item);
    else if (found !== true) return found;
  }
  return new SetList(items);
}

/** Stays a set, so that a further addition leaves out what it has as well. */
class SetList extends ArrayList {
  override readonly equality = "set";
}

function addByKey(a: List, b: List, meter: Meter): List | EvaluationError {
  const over = meter.items(a.size + b.size);
  if (over !== undefined) return over;
  const items = [...itemsOf(a)];
  const positions = new Map(items.map((_, at) => [a.keyOf(at), at]));
  for (const item of itemsOf(b)) {
    const at = positions.get(a.keyOfItem(item));
    if (at === undefined) items.push(item);
    else items[at] = item;
  }
  return new KeyedList(items, a);
}

class KeyedList extends ArrayList {
  override readonly equality = "map";
  readonly #origin: List;
  constructor(items: readonly Value[], origin: List) {
    super(items);
    this.#origin = origin;
  }
  override keyOf(index: number): string | undefined {
    return this.#origin.keyOfItem(this.at(index));
  }
  override keyOfItem(item: Value): string | undefined {
    return this.#origin.keyOfItem(item);
  }
}
