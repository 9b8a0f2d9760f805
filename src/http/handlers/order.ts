/** `orderBy`: the order of a list by values of fields, such as `spec.replicas desc, metadata.creationTimestamp`. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Schema } from "../../machinery/schema/schema.ts";
import { badRequest } from "../../machinery/status/status.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../machinery/values/quantity.ts";
import type { Order } from "../../registry/contract/question.ts";
import { shownObject } from "../../registry/contract/shown-object.ts";
import type { Queries } from "../contract/queries.ts";
import { type MemberPath, type NamedPath, readFieldPaths, valueAt } from "../negotiation/field-paths.ts";

/** Undefined: there is nothing, or nothing that has an order. */
type Comparable = string | number | bigint | boolean | Quantity | undefined;

/** The first characters of a text by which it is compared: those of all objects are in memory until the list has been sorted. */
export const orderedCharsMax = 256;

interface Part {
  readonly path: MemberPath;
  readonly isDescending: boolean;
  readonly isQuantity: boolean;
}

/** Throws a badRequest for what is not a list of paths of fields. Objects without a value come last, whichever the direction. */
export function orderBy(kind: BoundKind, text: string, queries: Queries | undefined): Order {
  const parts = readFieldPaths("orderBy", text).map((named) => {
    const part = partOf(kind, named);
    queries?.requireFields(kind, "orderBy", named);
    return part;
  });
  return {
    text,
    *keyOf(entry) {
      const object = shownObject(entry, kind, yield* entry.load());
      return parts.map(({ path, isQuantity }) => comparable(valueAt(object, path), isQuantity));
    },
    compare(one, other) {
      for (const [at, { isDescending }] of parts.entries()) {
        const [a, b] = [one[at] as Comparable, other[at] as Comparable]; // made by keyOf
        if (a === undefined || b === undefined) {
          if (a !== b) return a === undefined ? 1 : -1;
          continue;
        }
        const order = compareValues(a, b);
        if (order !== 0) return isDescending ? -order : order;
      }
      return 0;
    },
  };
}

function partOf(kind: BoundKind, { text, path, word }: NamedPath): Part {
  const direction = word.toLowerCase();
  if (direction !== "" && direction !== "asc" && direction !== "desc")
    throw badRequest(
      `orderBy: after ${JSON.stringify(text.slice(0, 100))} comes asc or desc, not ${word.slice(0, 100)}`,
    );
  return { path, isDescending: direction === "desc", isQuantity: schemaAt(kind.schema, path)?.type === "quantity" };
}

function schemaAt(schema: Schema, path: MemberPath): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const step of path) {
    if (at?.type === "struct") at = at.fields.get(String(step))?.schema;
    else if (at?.type === "map") at = at.values;
    else if (at?.type === "list") at = at.items;
    else return undefined;
  }
  return at;
}

function comparable(value: unknown, isQuantity: boolean): Comparable {
  if (isQuantity) return parseQuantity(String(value));
  switch (typeof value) {
    case "string":
      return value.length > orderedCharsMax ? beginningOf(value) : value;
    case "number":
    case "bigint":
    case "boolean":
      return value;
    default:
      return undefined;
  }
}

/** A copy: a part of a text keeps all of it in memory. */
const beginningOf = (text: string): string =>
  Buffer.from(text.slice(0, orderedCharsMax), "utf16le").toString("utf16le");

/** Values of different types are in this order. */
const ranks: Readonly<Record<string, number>> = { boolean: 0, number: 1, bigint: 1, object: 2, string: 3 };

function compareValues(a: NonNullable<Comparable>, b: NonNullable<Comparable>): number {
  if (typeof a === "object" && typeof b === "object") return compareQuantities(a, b);
  if (ranks[typeof a] !== ranks[typeof b]) return ranks[typeof a]! - ranks[typeof b]!;
  return a < b ? -1 : a > b ? 1 : 0;
}
