/** Amounts of several resources, and arithmetic on them. */

import {
  addQuantities,
  compareQuantities,
  type Quantity,
  quantityOf,
  subtractQuantities,
} from "../../machinery/values/quantity.ts";

/** By the name of the resource. */
export type Amounts = ReadonlyMap<string, Quantity>;

export const zero: Quantity = quantityOf("0");
/** The amount one, for anything that is counted. */
export const oneOf: Quantity = quantityOf("1");

export function amountsOf(record: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(Object.entries(record ?? {}).map(([name, text]) => [name, quantityOf(text)]));
}

/** Adds `amounts` to `sum`. In place, so that adding many small ones is cheap. */
export function addTo(sum: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) sum.set(name, addQuantities(sum.get(name) ?? zero, amount));
}

/** `count` times the amounts, in as many steps as the number has bits. */
export function multiplied(amounts: Amounts, count: number): Amounts {
  const product = new Map<string, Quantity>();
  const part = new Map(amounts);
  for (let left = count; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) addTo(product, part);
    addTo(part, new Map(part));
  }
  return product;
}

export function takeFrom(sum: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) sum.set(name, subtractQuantities(sum.get(name) ?? zero, amount));
}

/** Sets `sum` to the maximum of both, resource by resource. */
export function raiseTo(sum: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const own = sum.get(name);
    if (own === undefined || compareQuantities(own, amount) < 0) sum.set(name, amount);
  }
}
