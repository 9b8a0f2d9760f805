/** Arithmetic on quantities as objects carry them: canonical text. */

import type { Quantity } from "../machinery/values/quantity.ts";
import { compareQuantities, parseQuantity } from "../machinery/values/quantity.ts";

/** Negative, zero or positive, as `a` is less than, equal to or more than `b`. Decoding has checked both. */
export function compareAmounts(a: string, b: string): number {
  return compareQuantities(parsed(a), parsed(b));
}

function parsed(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new TypeError(`not a quantity: ${text.slice(0, 40)}`);
  return quantity;
}
