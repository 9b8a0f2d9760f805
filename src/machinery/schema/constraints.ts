/** Checks the constraints that declarations put on single values: allowed texts, and bounds of numbers. */

import { type FieldError, type FieldErrors, invalid, notSupported, required } from "../status/field-error.ts";
import { isObject } from "./json-value.ts";
import type { Field, IntegerSchema, Schema, StringSchema, StructSchema } from "./schema.ts";

/** All problems of a decoded object. `path` is its location; "" is the top. The object is not changed. */
export function checkConstraints(schema: StructSchema, object: unknown, path = ""): FieldErrors {
  const errors: FieldError[] = [];
  structCheck(schema)?.(object, path, errors);
  return errors;
}

/** Undefined: nothing below is constrained, so it needs no check. */
type Check = ((value: unknown, path: string, errors: FieldError[]) => void) | undefined;

const checks = new WeakMap<StructSchema, Check>();

function structCheck(schema: StructSchema): Check {
  if (checks.has(schema)) return checks.get(schema);
  if (!hasConstraint(schema, new Set())) {
    checks.set(schema, undefined);
    return undefined;
  }
  let check: Check;
  // A struct that contains itself looks up the finished check at run time.
  checks.set(schema, (value, path, errors) => check?.(value, path, errors));
  check = makeStructCheck(schema);
  checks.set(schema, check);
  return check;
}

/** A struct that contains itself would otherwise be visited down to the last of its values only to find nothing. */
function hasConstraint(schema: Schema, seen: Set<StructSchema>): boolean {
  switch (schema.type) {
    case "list":
      return hasConstraint(schema.items, seen);
    case "map":
      return hasConstraint(schema.values, seen);
    case "struct":
      if (seen.has(schema)) return false;
      seen.add(schema);
      for (const field of schema.fields.values()) if (hasConstraint(field.schema, seen)) return true;
      return false;
    case "string":
      return stringCheck(schema) !== undefined;
    case "int32":
    case "int64":
    case "uint32":
      return integerCheck(schema) !== undefined;
    default:
      return false;
  }
}

function makeStructCheck(schema: StructSchema): Check {
  const fields = [...schema.fields].flatMap(([name, field]) => {
    const check = fieldCheck(field);
    return check ? [{ name, check }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value, path, errors) => {
    if (!isObject(value)) return;
    for (const { name, check } of fields) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member !== undefined && member !== null) check(member, path === "" ? name : `${path}.${name}`, errors);
    }
  };
}

function fieldCheck({ schema, presence }: Field): Check {
  const check = valueCheck(schema);
  if (schema.type !== "string" || check === undefined || presence !== "required") return check;
  return (value, path, errors) => {
    if (value === "") errors.push(required(path));
    else check(value, path, errors);
  };
}

function valueCheck(schema: Schema): Check {
  switch (schema.type) {
    case "struct":
      return structCheck(schema);
    case "list": {
      const check = valueCheck(schema.items);
      return (
        check &&
        ((value, path, errors) => {
          if (Array.isArray(value)) for (const [i, item] of value.entries()) check(item, `${path}[${i}]`, errors);
        })
      );
    }
    case "map": {
      const check = valueCheck(schema.values);
      return (
        check &&
        ((value, path, errors) => {
          if (isObject(value)) for (const key of Object.keys(value)) check(value[key], `${path}[${key}]`, errors);
        })
      );
    }
    case "string":
      return stringCheck(schema);
    case "int32":
    case "int64":
    case "uint32":
      return integerCheck(schema);
    default:
      return undefined;
  }
}

/** Presence rules decide about the empty text. */
function stringCheck({ enum: allowed }: StringSchema): Check {
  if (allowed === undefined) return undefined;
  return (value, path, errors) => {
    if (typeof value === "string" && value !== "" && !allowed.includes(value)) {
      errors.push(notSupported(path, value, allowed));
    }
  };
}

function integerCheck({ minimum, maximum }: IntegerSchema): Check {
  if (minimum === undefined && maximum === undefined) return undefined;
  return (value, path, errors) => {
    if (typeof value !== "number" && typeof value !== "bigint") return;
    if (minimum !== undefined && value < minimum) errors.push(invalid(path, value, `must be at least ${minimum}`));
    if (maximum !== undefined && value > maximum) errors.push(invalid(path, value, `must be at most ${maximum}`));
  };
}
