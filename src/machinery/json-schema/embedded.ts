/**
 * Whole objects within a value, marked by a schema: they have apiVersion and kind, and the metadata of any object.
 */

import { isObject } from "../json/json-value.ts";
import { validateMetadata } from "../meta/metadata.ts";
import { isDns1035Label } from "../meta/names.ts";
import { decodeObject } from "../schema/decode.ts";
import type { Environment } from "../schema/environment.ts";
import { type ObjectMeta, ObjectMetaStruct } from "../schema/object-meta.ts";
import type { StructSchema } from "../schema/schema.ts";
import { type FieldError, invalid, required } from "../status/field-error.ts";
import { StatusError } from "../status/status.ts";
import type { SchemaPlan } from "./plan.ts";

/** Where to look for whole objects. */
interface EmbeddedScope {
  readonly plan: SchemaPlan;
  /** Whether the value is itself a whole object, whatever its schema says. */
  readonly isResource: boolean;
}

/** All problems of the objects within `value`. A member of a wrong type is reported alone, since v1.21 stops there. */
export function validateResources(
  value: unknown,
  path: string,
  scope: EmbeddedScope,
  environment: Environment,
): FieldError[] {
  if (!mayHold(scope)) return [];
  const found = [...resourcesIn(value, path, scope)];
  const mismatch = firstMismatch(found);
  return mismatch === undefined
    ? found.flatMap(({ object, at }) => validateResource(object, at, environment))
    : [mismatch];
}

/** The first identifying member (apiVersion, kind, metadata) of an object within `value` that has a wrong type. */
export function mismatchIn(value: unknown, scope: EmbeddedScope): FieldError | undefined {
  return mayHold(scope) ? firstMismatch(resourcesIn(value, "", scope)) : undefined;
}

const mayHold = ({ plan, isResource }: EmbeddedScope): boolean => isResource || plan.hasResources;

function firstMismatch(found: Iterable<Found>): FieldError | undefined {
  for (const { object, at } of found) {
    const mismatch = mismatchOf(object, at);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

/** Removes unknown members from the metadata of the objects within `value`. In place; they have been validated. */
export function coerceResources(value: unknown, scope: EmbeddedScope): void {
  if (!mayHold(scope)) return;
  for (const { object } of resourcesIn(value, "", scope)) {
    if (object["metadata"] === undefined) continue;
    const { creationTimestamp, ...metadata } = readMetadata(object["metadata"]) ?? {};
    object["metadata"] = creationTimestamp ? { ...metadata, creationTimestamp } : metadata;
  }
}

interface Found {
  readonly object: Record<string, unknown>;
  readonly at: string;
}

function* resourcesIn(value: unknown, path: string, { plan, isResource }: EmbeddedScope): Generator<Found> {
  const inside = (inner: SchemaPlan): EmbeddedScope => ({ plan: inner, isResource: false });
  if (Array.isArray(value)) {
    const { items } = plan;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) yield* resourcesIn(item, `${path}[${index}]`, inside(items));
  }
  if (!isObject(value)) return;
  if (isResource || plan.isResource) yield { object: value, at: path };
  const more = plan.additional;
  for (const [name, member] of Object.entries(value)) {
    const property = plan.property(name);
    if (property !== undefined) yield* resourcesIn(member, path === "" ? name : `${path}.${name}`, inside(property));
    else if (more !== undefined) yield* resourcesIn(member, `${path}[${name}]`, inside(more));
  }
}

function mismatchOf(object: Readonly<Record<string, unknown>>, path: string): FieldError | undefined {
  for (const name of ["apiVersion", "kind"]) {
    const text = object[name];
    if (text !== undefined && typeof text !== "string") return invalid(`${path}.${name}`, text, "must be a string");
  }
  const { metadata } = object;
  if (metadata === undefined || readMetadata(metadata) !== undefined) return undefined;
  return invalid(`${path}.metadata`, metadata, "must be the metadata of an object");
}

function validateResource(
  object: Readonly<Record<string, unknown>>,
  path: string,
  environment: Environment,
): FieldError[] {
  const errors: FieldError[] = [];
  const { kind = "", apiVersion = "", metadata } = object;
  // Both are texts: mismatchOf has checked.
  if (apiVersion === "") errors.push(required(`${path}.apiVersion`, "must not be empty"));
  else if (String(apiVersion).split("/").length > 2)
    errors.push(invalid(`${path}.apiVersion`, apiVersion, "must be a version, or a group, a slash and a version"));
  if (kind === "") errors.push(required(`${path}.kind`, "must not be empty"));
  else
    errors.push(...isDns1035Label(String(kind).toLowerCase()).map((problem) => invalid(`${path}.kind`, kind, problem)));
  const meta = metadata === undefined ? undefined : readMetadata(metadata);
  if (meta === undefined) return errors;
  return [
    ...errors,
    ...validateMetadata(
      { ...meta, name: meta.name || "unnamed" },
      {
        namespaced: Boolean(meta.namespace),
        nameRule: "pathSegment",
        environment,
        path: `${path}.metadata`,
        plainFinalizers: true,
      },
    ),
  ];
}

/** Undefined: this is not metadata. */
function readMetadata(value: unknown): ObjectMeta | undefined {
  try {
    return decodeObject(ObjectMetaStruct.schema as StructSchema, value) as ObjectMeta;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}
