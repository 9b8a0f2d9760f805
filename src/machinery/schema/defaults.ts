/** Fills in what a client omitted, as declared. */

import { copyJson, isObject, setOwn } from "../json/json-value.ts";
import { parseQuantity, roundToMilli } from "../values/quantity.ts";
import type { Environment } from "./environment.ts";
import type { Field, Schema, StructSchema } from "./schema.ts";

/**
 * For each struct its own function, then its fields, then what is inside them. In place; `object` has been decoded. Members of `known`
 * have their defaults.
 */
export function applyDefaults(
  schema: StructSchema,
  object: Record<string, unknown>,
  environment: Environment,
  known?: Readonly<Record<string, unknown>>,
): void {
  structFiller(schema)?.(object, environment, known);
}

/** Members that the value has of `known` are not visited. Undefined: nothing below has a default, so it needs no visit. */
type Filler =
  | ((value: unknown, environment: Environment, known?: Readonly<Record<string, unknown>>) => void)
  | undefined;

const fillers = new WeakMap<StructSchema, Filler>();

function structFiller(schema: StructSchema): Filler {
  if (fillers.has(schema)) return fillers.get(schema);
  if (!hasDefault(schema, new Set())) {
    fillers.set(schema, undefined);
    return undefined;
  }
  let fill: Filler;
  // A struct that contains itself looks up the finished filler at run time.
  fillers.set(schema, (value, environment, known) => fill?.(value, environment, known));
  fill = makeStructFiller(schema);
  fillers.set(schema, fill);
  return fill;
}

/** A struct that contains itself would otherwise be visited down to the last of its values only to find nothing. */
function hasDefault(schema: Schema, seen: Set<StructSchema>): boolean {
  switch (schema.type) {
    case "list":
      return hasDefault(schema.items, seen);
    case "map":
      return schema.finest === "milli" || hasDefault(schema.values, seen);
    case "struct": {
      if (seen.has(schema)) return false;
      seen.add(schema);
      if (schema.defaults !== undefined) return true;
      for (const field of schema.fields.values())
        if (field.fallback !== undefined || hasDefault(field.schema, seen)) return true;
      return false;
    }
    default:
      return false;
  }
}

function makeStructFiller(schema: StructSchema): Filler {
  const fallbacks = [...schema.fields].flatMap(([name, field]) =>
    field.fallback === undefined ? [] : [{ name, field }],
  );
  const children = [...schema.fields].flatMap(([name, field]) => {
    const fill = filler(field.schema);
    return fill ? [{ name, fill }] : [];
  });
  const { defaults } = schema;
  if (defaults === undefined && fallbacks.length === 0 && children.length === 0) return undefined;
  return (value, environment, known) => {
    if (!isObject(value)) return;
    defaults?.(value, environment);
    // No field is called as something that every object inherits, so an inherited member is not mistaken for a given one.
    for (let at = 0; at < fallbacks.length; at++) {
      const { name, field } = fallbacks[at]!;
      if (isAbsent(value[name], field)) setOwn(value, name, copyJson(field.fallback));
    }
    for (let at = 0; at < children.length; at++) {
      const { name, fill } = children[at]!;
      const inner = value[name];
      if (inner !== undefined && inner !== known?.[name]) fill(inner, environment);
    }
  };
}

function filler(schema: Schema): Filler {
  switch (schema.type) {
    case "struct":
      return structFiller(schema);
    case "list": {
      const fill = filler(schema.items);
      return (
        fill &&
        ((value, environment) => {
          if (Array.isArray(value)) for (const item of value) fill(item, environment);
        })
      );
    }
    case "map": {
      if (schema.finest === "milli") return roundAmounts;
      const fill = filler(schema.values);
      return (
        fill &&
        ((value, environment) => {
          if (isObject(value)) for (const key of Object.keys(value)) fill(value[key], environment);
        })
      );
    }
    default:
      return undefined;
  }
}

/** In place. The end of the canonical text shows whether an amount is finer than a thousandth. */
function roundAmounts(amounts: unknown): void {
  if (!isObject(amounts)) return;
  for (const name in amounts) {
    const amount = amounts[name];
    if (typeof amount !== "string" || !(amount.endsWith("n") || amount.endsWith("u") || amount.includes("e-")))
      continue;
    const parsed = parseQuantity(amount);
    if (parsed) setOwn(amounts, name, roundToMilli(parsed).text);
  }
}

/** A pointer shows whether it was given; anything else counts as omitted when it is zero. */
export function isAbsent(value: unknown, { schema, presence }: Field): boolean {
  if (value === undefined || value === null) return true;
  if (presence === "optional" || presence === "nullable") return false;
  switch (schema.type) {
    case "quantity":
      return value === "0";
    case "duration":
      return value === "0s";
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      return isObject(value) && Object.keys(value).length === 0;
    case "struct":
    case "json":
      return false;
    default:
      return value === "" || value === 0 || value === false;
  }
}
