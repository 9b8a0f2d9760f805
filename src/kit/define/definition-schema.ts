/** Fields of the schema language as the JSON schema of a CustomResourceDefinition. What a schema cannot say is an error, never left out. */

import type { Rule } from "../../machinery/schema/rule.ts";
import type { Field, Schema, StructSchema } from "../../machinery/schema/schema.ts";

export type Property = Record<string, unknown>;

/**
 * An expression that values must meet, checked by servers of v1.25 and later: `{ at: "spec", expression: "self.least <= self.most" }`.
 * @example
 * const rule: DefinedRule = { at: "spec", expression: "self.least <= self.most", message: "least must not be above most" };
 */
export interface DefinedRule {
  /** The value that it is about, "spec.parts[].name"; "" for the whole object. */
  readonly at: string;
  /** In CEL, with the value as `self` and its former state as `oldSelf`. */
  readonly expression: string;
  /** The message of the refusal. Default: the expression. */
  readonly message?: string;
  /** In CEL: the message, made of the value; servers of v1.27 and later. */
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** The member that is wrong, relative to `at`: ".least". */
  readonly fieldPath?: string;
  /** Also check new values, with `oldSelf` as an optional value. Servers since v1.29 know it. */
  readonly optionalOldSelf?: boolean;
}

export interface DefinedSchema {
  readonly fields: ReadonlyMap<string, Field>;
  readonly doc: string;
  readonly rules: readonly DefinedRule[];
  /**
   * What JSON schema says beyond the rules of fields, by path; undefined takes a keyword away. Names of extensions are without their
   * vocabulary. "metadata" is a path too, although it is no field.
   */
  readonly keywords: Readonly<Record<string, Property>>;
}

/** `prefix`: that of extensions, "x-orch-". Throws a TypeError that names the field. */
export function definitionSchema({ fields, doc, rules, keywords }: DefinedSchema, prefix: string): Property {
  const whole: StructSchema = { type: "struct", name: "", description: doc, fields };
  const places = new Map<string, Property>();
  const root = { prefix, path: "", around: [], places };
  const made = recorded(struct(whole, root), root);
  if (keywords["metadata"] !== undefined)
    made["properties"] = { metadata: recorded({ type: "object" }, { ...root, path: "metadata" }), ...properties(made) };
  for (const [path, more] of Object.entries(keywords)) Object.assign(at(places, path), spoken(more, prefix));
  for (const { at: path, expression: rule, ...more } of rules) {
    const schema = at(places, path);
    const before = (schema[`${prefix}validations`] ?? []) as Property[]; // from an earlier round
    schema[`${prefix}validations`] = [...before, { rule, ...more }];
  }
  return made;
}

const properties = (schema: Property) => schema["properties"] as Property | undefined; // made below

function at(places: ReadonlyMap<string, Property>, path: string): Property {
  const found = places.get(path);
  if (found === undefined) throw new TypeError(`${path}: the declaration has no such field`);
  return found;
}

/** Extensions are written "x-preserve-unknown-fields", and spoken in the names of the server. */
const spoken = (keywords: Property, prefix: string): Property =>
  Object.fromEntries(Object.entries(keywords).map(([name, value]) => [name.replace(/^x-/, prefix), value]));

interface SchemaPosition {
  readonly prefix: string;
  /** "spec.size", "spec.parts[].name", "spec.labels.*". */
  readonly path: string;
  /** The structs that it is in. */
  readonly around: readonly StructSchema[];
  /** What was made so far, by path. */
  readonly places: Map<string, Property>;
}

const inside = (place: SchemaPosition, name: string): SchemaPosition => ({
  ...place,
  path: place.path === "" ? name : name === "[]" ? `${place.path}[]` : `${place.path}.${name}`,
});

function recorded(made: Property, { places, path }: SchemaPosition): Property {
  places.set(path, made);
  return made;
}

function fail({ path }: SchemaPosition, problem: string): never {
  throw new TypeError(`${path}: ${problem}`);
}

function struct(schema: StructSchema, place: SchemaPosition): Property {
  if (place.around.includes(schema))
    fail(place, "a definition cannot describe a type that contains itself; use json()");
  const at = { ...place, around: [...place.around, schema] };
  const required = [...schema.fields].filter(([, field]) => isRequired(field)).map(([name]) => name);
  const properties = [...schema.fields].map(([name, field]) => [name, property(field, inside(at, name))] as const);
  return {
    ...(schema.description === "" ? {} : { description: schema.description }),
    type: "object",
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.length === 0 ? {} : { required }),
    ...(schema.topology === undefined ? {} : { [`${place.prefix}map-type`]: schema.topology }),
  };
}

/** The server fills in what has a default. */
const isRequired = ({ presence, fallback, rules }: Field) =>
  fallback === undefined && (presence === "required" || rules.some(({ rule }) => rule === "required"));

function property(field: Field, place: SchemaPosition): Property {
  const { description, fallback } = field;
  const made = {
    ...ruled(typeOf(field.schema, place), field, place),
    ...(description === "" ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
  return recorded(made, place);
}

/** A decimal with a suffix. */
const quantityPattern = "^[+-]?([0-9]+|[0-9]+\\.[0-9]*|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$";

function typeOf(schema: Schema, place: SchemaPosition): Property {
  const { prefix } = place;
  switch (schema.type) {
    case "string":
      return { type: "string" };
    case "int32":
    case "int64":
      return { type: "integer", format: schema.type };
    case "uint32":
      return { type: "integer", format: "int64", minimum: 0, maximum: 2 ** 32 - 1 };
    case "bool":
      return { type: "boolean" };
    case "double":
      return { type: "number", format: "double" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "quantity":
      return { type: "string", pattern: quantityPattern };
    case "intOrString":
      return { [`${prefix}int-or-string`]: true };
    case "time":
    case "microTime":
      return { type: "string", format: "date-time", nullable: true };
    case "duration":
      return { type: "string", format: "duration" };
    case "json":
      if (schema.form !== "raw" && schema.form !== "value")
        fail(place, `json("${schema.form}") is only for built-in kinds`);
      return { ...(schema.form === "raw" ? { type: "object" } : {}), [`${prefix}preserve-unknown-fields`]: true };
    case "list":
      return {
        type: "array",
        items: contained(schema.items, schema.ruled, inside(place, "[]")),
        ...(schema.topology === undefined ? {} : { [`${prefix}list-type`]: schema.topology }),
        ...(schema.keys === undefined ? {} : { [`${prefix}list-map-keys`]: schema.keys }),
      };
    case "map":
      return { type: "object", additionalProperties: contained(schema.values, schema.ruled, inside(place, "*")) };
    case "struct":
      return struct(schema, place);
  }
}

const contained = (schema: Schema, field: Field | undefined, place: SchemaPosition): Property =>
  recorded(field === undefined ? typeOf(schema, place) : ruled(typeOf(schema, place), field, place), place);

function ruled(type: Property, { rules, schema }: Field, place: SchemaPosition): Property {
  for (const rule of rules) Object.assign(type, ruleOf(rule, schema, place));
  return type;
}

function ruleOf(rule: Rule, { type }: Schema, place: SchemaPosition): Property {
  const isText = type === "string";
  switch (rule.rule) {
    case "required":
    case "filled":
      return isText ? { minLength: 1 } : type === "list" ? { minItems: 1 } : {};
    case "oneOf":
      if (!rule.values.every((value) => typeof value === "string"))
        fail(place, "values of a release are only for built-in kinds");
      return { enum: rule.values };
    case "range":
      if (type === "quantity") return fail(place, "a definition has no word for the bounds of a quantity; use a rule");
      return {
        ...(rule.above === undefined ? {} : { minimum: rule.above, exclusiveMinimum: true }),
        ...(rule.least === undefined ? {} : { minimum: rule.least }),
        ...(rule.most === undefined ? {} : { maximum: rule.most }),
      };
    case "max":
      return { [type === "list" ? "maxItems" : type === "map" ? "maxProperties" : "maxLength"]: rule.max };
    case "unique":
      return rule.key === ""
        ? { [`${place.prefix}list-type`]: "set" }
        : { [`${place.prefix}list-type`]: "map", [`${place.prefix}list-map-keys`]: [rule.key] };
    case "named": {
      const known = typeof rule.format === "string" ? namePatterns[rule.format] : undefined;
      return known ?? fail(place, "a definition has no word for this form of names; use a webhook");
    }
    case "alone":
      return fail(place, "a definition has no word for an item that stands alone; use a rule or a webhook");
    case "checked":
      return fail(place, "a definition cannot contain a function; use a rule or a webhook");
    case "immutable":
      return fail(place, "a definition cannot say that a field keeps its value; use a rule or a webhook");
  }
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const namePatterns: Readonly<Record<string, Property>> = {
  label: { pattern: `^${label}$`, maxLength: 63 },
  label1035: { pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 63 },
  subdomain: { pattern: `^${label}(\\.${label})*$`, maxLength: 253 },
};
