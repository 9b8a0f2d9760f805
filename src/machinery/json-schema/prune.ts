/** Takes out of a value what its schema does not know. */

import { isObject } from "../schema/json-value.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalSchema, extensions, itemSchema, propertyOf, resourceMembers } from "./json-schema.ts";

/** In place. `isResource`: the value is a whole object, whose metadata, kind and apiVersion are known in any case. */
export function prune(value: unknown, schema: JsonSchema, prefix: string, isResource = false): void {
  visit(value, schema, { prefix, isResource, keeps: false });
}

interface Around {
  readonly prefix: string;
  readonly isResource: boolean;
  /** A schema further out keeps what is unknown, so only declared parts are looked into. */
  readonly keeps: boolean;
}

function visit(value: unknown, schema: JsonSchema | undefined, around: Around): void {
  if (typeof value !== "object" || value === null) return;
  const { prefix } = around;
  const known = schema && extensions(schema, prefix);
  const keeps = around.keeps || known?.preserveUnknownFields === true;
  if (Array.isArray(value)) {
    const items = schema && itemSchema(schema);
    if (items === undefined && keeps) return;
    for (const item of value) visit(item, items, { prefix, isResource: false, keeps });
    return;
  }
  if (!isObject(value)) return;
  const isResource = around.isResource || known?.embeddedResource === true;
  for (const name of Object.keys(value)) {
    if (isResource && resourceMembers.has(name)) continue;
    const property = schema && propertyOf(schema, name);
    if (property !== undefined) visit(value[name], property, { prefix, isResource: false, keeps: false });
    else if (schema !== undefined && schema.additionalProperties !== undefined)
      visit(value[name], additionalSchema(schema), { prefix, isResource: false, keeps: false });
    else if (!keeps) delete value[name];
  }
}
