/** Quantities such as "500m" and "1.5Gi". */

import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from "../../machinery/values/quantity.ts";
import { bool, double, int, objectType, string } from "../types/types.ts";
import { EvaluationError, int64Max, int64Min, Opaque, type Value } from "../values/values.ts";
import { declare, type FunctionDeclaration, member, nominal, overload, traversal } from "./declaration.ts";

const quantityType = objectType("Quantity");
const one = 1_000_000_000n;

class QuantityValue extends Opaque {
  readonly type = quantityType;
  readonly quantity: Quantity;
  /** Written without a fraction; "1.0" is not, whatever its value. */
  readonly #isWhole: boolean;
  constructor(quantity: Quantity, isWhole: boolean) {
    super();
    this.quantity = quantity;
    this.#isWhole = isWhole;
  }
  equals(other: Value): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
  get integer(): bigint | undefined {
    const value = this.quantity.nano / one;
    return this.#isWhole && this.quantity.nano % one === 0n && value <= int64Max && value >= int64Min
      ? value
      : undefined;
  }
  plus(other: QuantityValue): QuantityValue {
    return new QuantityValue(addQuantities(this.quantity, other.quantity), this.#isWhole && other.#isWhole);
  }
  minus(other: QuantityValue): QuantityValue {
    return new QuantityValue(subtractQuantities(this.quantity, other.quantity), this.#isWhole && other.#isWhole);
  }
}

function parse(text: string): QuantityValue | undefined {
  const quantity = parseQuantity(text);
  return quantity && new QuantityValue(quantity, /^[+-]?[0-9]*\.?(?:[kMGTPE]i?|Ki|[eE][+]?[0-9]+)?$/.test(text));
}

/** An amount that was checked when it was stored. */
export const quantityOf = (text: string): Value => parse(text) ?? new EvaluationError(`not a quantity: ${text}`);

const ofInt = (value: Value | undefined) =>
  new QuantityValue({ nano: (value as bigint) * one, format: "DecimalSI", text: "" }, true);

const order = (name: string, test: (order: number) => Value, result = bool): FunctionDeclaration =>
  declare(
    name,
    "1.28",
    member(
      [quantityType, quantityType],
      result,
      ([a, b]) => test(compareQuantities((a as QuantityValue).quantity, (b as QuantityValue).quantity)),
      nominal,
    ),
  );

const sum = (name: string, combine: (a: QuantityValue, b: QuantityValue) => QuantityValue): FunctionDeclaration =>
  declare(
    name,
    "1.28",
    member(
      [quantityType, quantityType],
      quantityType,
      ([a, b]) => combine(a as QuantityValue, b as QuantityValue),
      nominal,
    ),
    member([quantityType, int], quantityType, ([a, b]) => combine(a as QuantityValue, ofInt(b)), nominal),
  );

const parseCosts = traversal(0);

export const quantities: readonly FunctionDeclaration[] = [
  declare(
    "quantity",
    "1.28",
    overload(
      [string],
      quantityType,
      ([text]) =>
        parse(text as string) ??
        new EvaluationError(
          "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
      parseCosts,
    ),
  ),
  declare(
    "isQuantity",
    "1.28",
    overload([string], bool, ([text]) => parse(text as string) !== undefined, parseCosts),
  ),
  declare(
    "sign",
    "1.28",
    overload(
      [quantityType],
      int,
      ([a]) => {
        const { nano } = (a as QuantityValue).quantity;
        return nano > 0n ? 1n : nano < 0n ? -1n : 0n;
      },
      nominal,
    ),
  ),
  order("isGreaterThan", (result) => result > 0),
  order("isLessThan", (result) => result < 0),
  order("compareTo", (result) => BigInt(result), int),
  sum("add", (a, b) => a.plus(b)),
  sum("sub", (a, b) => a.minus(b)),
  declare(
    "isInteger",
    "1.28",
    member([quantityType], bool, ([a]) => (a as QuantityValue).integer !== undefined, nominal),
  ),
  declare(
    "asInteger",
    "1.28",
    member(
      [quantityType],
      int,
      ([a]) => (a as QuantityValue).integer ?? new EvaluationError("cannot convert value to integer"),
      nominal,
    ),
  ),
  declare(
    "asApproximateFloat",
    "1.28",
    member([quantityType], double, ([a]) => Number((a as QuantityValue).quantity.nano) / 1e9, nominal),
  ),
];
