/** Whether the defaults of a schema are values that the schema itself would take. */

import { validateAnnotations, validateLabels } from "../meta/labels.ts";
import { isDns1035Label, isPathSegmentName } from "../meta/names.ts";
import { copyJson, isObject, sameJson } from "../schema/json-value.ts";
import type { FieldError } from "../status/field-error.ts";
import { invalid, required } from "../status/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalSchema, extensions, itemSchema, propertyOf, resourceMembers } from "./json-schema.ts";
import { prune } from "./prune.ts";
import { validateValue } from "./value.ts";

export interface DefaultRules {
  readonly prefix: string;
  /** Whether a default must not have what pruning would take away. */
  readonly pruned: boolean;
}

/** `schema` is that of a whole object, and structural. */
export function validateDefaults(schema: JsonSchema, path: string, rules: DefaultRules): FieldError[] {
  return visit(schema, path, rules, { isResource: true, insideMetadata: false });
}

interface Around {
  readonly isResource: boolean;
  /** Within metadata, kind or apiVersion of an object: these are known without a schema. */
  readonly insideMetadata: boolean;
}

function visit(schema: JsonSchema, path: string, rules: DefaultRules, around: Around): FieldError[] {
  const isResource = around.isResource || extensions(schema, rules.prefix).embeddedResource;
  const insideMetadata = around.insideMetadata && !isResource;
  const errors =
    schema.default === undefined || schema.default === null
      ? []
      : validateDefault(schema, `${path}.default`, rules, { isResource, insideMetadata });
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inside = insideMetadata || (isResource && resourceMembers.has(name));
    errors.push(
      ...visit(property, `${path}.properties[${name}]`, rules, { isResource: false, insideMetadata: inside }),
    );
  }
  const below = { isResource: false, insideMetadata };
  const items = itemSchema(schema);
  if (items !== undefined) errors.push(...visit(items, `${path}.items`, rules, below));
  const more = additionalSchema(schema);
  if (more !== undefined) errors.push(...visit(more, `${path}.additionalProperties`, rules, below));
  return errors;
}

function validateDefault(
  schema: JsonSchema,
  path: string,
  { prefix, pruned }: DefaultRules,
  around: Around,
): FieldError[] {
  const value = schema.default;
  const errors: FieldError[] = [];
  if (!around.insideMetadata) {
    if (pruned) {
      const known = copyJson(value);
      prune(known, schema, prefix, around.isResource);
      if (!sameJson(known, value)) errors.push(invalid(path, value, "must not have unknown members"));
    }
    const problems = validateResources(schema, value, path, prefix, around.isResource);
    if (problems.length > 0) return [...errors, ...problems];
  }
  return [...errors, ...validateValue(schema, value, path)];
}

/** Whole objects within a value must say who they are. */
function validateResources(
  schema: JsonSchema,
  value: unknown,
  path: string,
  prefix: string,
  isResource: boolean,
): FieldError[] {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (items === undefined) return [];
    const isOne = extensions(items, prefix).embeddedResource;
    return value.flatMap((item, index) => validateResources(items, item, `${path}[${index}]`, prefix, isOne));
  }
  if (!isObject(value)) return [];
  const errors = isResource ? validateResource(value, path) : [];
  for (const [name, member] of Object.entries(value)) {
    const inner = propertyOf(schema, name) ?? additionalSchema(schema);
    if (inner === undefined || (isResource && resourceMembers.has(name))) continue;
    errors.push(
      ...validateResources(inner, member, `${path}.${name}`, prefix, extensions(inner, prefix).embeddedResource),
    );
  }
  return errors;
}

function validateResource(object: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["apiVersion", "kind"]) {
    const text = object[name];
    if (text === undefined || text === "") errors.push(required(`${path}.${name}`, "must not be empty"));
    else if (typeof text !== "string") errors.push(invalid(`${path}.${name}`, text, "must be a string"));
  }
  const { kind, apiVersion, metadata } = object;
  if (typeof kind === "string" && kind !== "")
    errors.push(...isDns1035Label(kind.toLowerCase()).map((problem) => invalid(`${path}.kind`, kind, problem)));
  if (typeof apiVersion === "string" && apiVersion.split("/").length > 2)
    errors.push(invalid(`${path}.apiVersion`, apiVersion, "must be a version, or a group, a slash and a version"));
  return metadata === undefined ? errors : [...errors, ...validateEmbeddedMetadata(metadata, `${path}.metadata`)];
}

function validateEmbeddedMetadata(metadata: unknown, path: string): FieldError[] {
  if (!isObject(metadata)) return [invalid(path, metadata, "must be an object")];
  const { name, labels, annotations } = metadata;
  if (name !== undefined && typeof name !== "string") return [invalid(path, metadata, "the name must be a string")];
  if (!isTexts(labels) || !isTexts(annotations))
    return [invalid(path, metadata, "labels and annotations must be maps of strings")];
  return [
    ...(name ? isPathSegmentName(name).map((problem) => invalid(`${path}.name`, name, problem)) : []),
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
  ];
}

function isTexts(value: unknown): value is Record<string, string> | undefined {
  return value === undefined || (isObject(value) && Object.values(value).every((text) => typeof text === "string"));
}
