/** Whether the values in an object have the types of its schema, which may have changed since the object was stored. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { isSmall, valuesPerStep } from "../json/parts.ts";
import type { SchemaPlan } from "./plan.ts";

/** Only types count: numbers may be of either kind, null fits everywhere, and members without a schema may be anything. */
export function* fitsInSteps(plan: SchemaPlan, value: unknown): Steps<boolean> {
  if (isSmall(value)) return fits(plan, value);
  if (!isOfType(plan, value)) return false;
  yield;
  let at = 0;
  for (const [part, inner] of parts(plan, value)) {
    if (!(yield* fitsInSteps(inner, part))) return false;
    at += 1;
    if (at % valuesPerStep === 0) yield;
  }
  return true;
}

function fits(plan: SchemaPlan, value: unknown): boolean {
  if (!isOfType(plan, value)) return false;
  for (const [part, inner] of parts(plan, value)) if (!fits(inner, part)) return false;
  return true;
}

/** The items and members that have a schema. */
function* parts(plan: SchemaPlan, value: unknown): Generator<readonly [unknown, SchemaPlan]> {
  if (Array.isArray(value)) {
    const { items } = plan;
    if (items !== undefined) for (const item of value) yield [item, items];
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const inner = plan.property(name) ?? plan.additional;
      if (inner !== undefined) yield [value[name], inner];
    }
  }
}

function isOfType({ schema, isIntOrString }: SchemaPlan, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (isIntOrString) return typeof value !== "object";
  switch (schema.type) {
    case "integer":
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "string":
    case "boolean":
      return typeof value === schema.type;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return true;
  }
}
