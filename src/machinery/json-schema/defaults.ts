/** Checks that the defaults of a schema are values that the schema itself accepts. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { extensions, itemSchema, type JsonSchema, resourceMembers } from "../json/json-schema.ts";
import { copyJson } from "../json/json-value.ts";
import type { Environment } from "../schema/environment.ts";
import { addTo, type FieldError, invalid } from "../status/field-error.ts";
import { coerce } from "./coerce.ts";
import { coerceResources, validateResources } from "./embedded.ts";
import { SchemaPlan } from "./plan.ts";
import { validateValue, type Work } from "./value.ts";

interface DefaultRules {
  readonly prefix: string;
  /** Whether a default must not contain what pruning would remove. */
  readonly pruned: boolean;
  readonly environment: Environment;
  /** Gets the paths of the schemas whose default is refused. */
  readonly refused?: Set<string>;
}

/** How many values are checked against schemas for all defaults of a schema together. */
export const defaultChecksMax = 100_000;

/** `schema` is that of a whole object, and structural. */
export function* validateDefaults(schema: JsonSchema, path: string, rules: DefaultRules): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const { environment } = rules;
  const work: Work = { left: defaultChecksMax, anyIntOrString: true, has: environment.has };
  for (const node of nodesWithDefaults(schema, path, rules.prefix)) {
    const found = node === undefined ? [] : validateDefault(node, rules, work);
    if (node !== undefined && found.length > 0) rules.refused?.add(node.path);
    addTo(errors, found);
    yield;
  }
  return errors;
}

/** Brings metadata within defaults into the form in which v1.21 keeps it. In place; the defaults have been validated. */
export function coerceDefaults(schema: JsonSchema, prefix: string): void {
  for (const node of nodesWithDefaults(schema, "", prefix)) {
    if (node === undefined) continue;
    const { schema: at, isResource, trail } = node;
    if (trail === undefined) coerceResources(at.default, { plan: new SchemaPlan(at, prefix), isResource });
  }
}

/** A node that has a default. */
interface SchemaNode {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly isResource: boolean;
  /** The whole object around it. */
  readonly resource: JsonSchema;
  /** Within metadata, kind or apiVersion of `resource`: the path to it, in which 0 stands for an item of a list. */
  readonly trail: readonly (string | 0)[] | undefined;
}

/** Yields undefined from time to time, so that other work can run. v1.21 does not look into additionalProperties. */
export function* nodesWithDefaults(root: JsonSchema, path: string, prefix: string): Generator<SchemaNode | undefined> {
  const pace = new Pace();
  yield* visit({ schema: root, path, isResource: true, resource: root, trail: undefined });

  function* visit(node: SchemaNode): Generator<SchemaNode | undefined> {
    const { schema } = node;
    if (pace.isDue) yield undefined;
    if (schema.default !== undefined && schema.default !== null) yield node;
    const items = itemSchema(schema);
    if (items !== undefined) yield* visit(below(node, items, `${node.path}.items`, 0));
    const { properties } = schema;
    if (properties === undefined) return;
    for (const name of Object.keys(properties))
      yield* visit(below(node, properties[name] as JsonSchema, `${node.path}.properties[${name}]`, name)); // by its own name
  }

  function below(node: SchemaNode, schema: JsonSchema, at: string, step: string | 0): SchemaNode {
    if (extensions(schema, prefix).embeddedResource)
      return { schema, path: at, isResource: true, resource: schema, trail: undefined };
    const enters = node.isResource && typeof step === "string" && resourceMembers.has(step);
    const trail = enters ? [step] : node.trail && [...node.trail, step];
    return { schema, path: at, isResource: false, resource: node.resource, trail };
  }
}

function validateDefault(node: SchemaNode, { prefix, pruned, environment }: DefaultRules, work: Work): FieldError[] {
  const { schema, isResource, resource, trail } = node;
  const path = `${node.path}.default`;
  const value = schema.default;
  if (trail !== undefined) {
    const around = { plan: new SchemaPlan(resource, prefix), isResource: true };
    if (validateResources(surrounded(value, trail), "", around, environment).length > 0)
      return [invalid(path, value, "must make valid metadata")];
    return checkedValue(new SchemaPlan(schema, prefix), value, path, work);
  }
  const plan = new SchemaPlan(schema, prefix);
  const errors: FieldError[] = [];
  if (pruned) {
    const known = copyJson(value);
    if (coerce(known, plan, { prunes: true, defaults: false, keepsNulls: true, isResource }))
      errors.push(invalid(path, value, "must not have unknown members"));
  }
  const problems = validateResources(value, path, { plan, isResource }, environment);
  return [...errors, ...(problems.length > 0 ? problems : checkedValue(plan, value, path, work))];
}

/** Items of a default that is a list are named with a dot in front, as v1.35 names them. */
function checkedValue(plan: SchemaPlan, value: unknown, path: string, work: Work): FieldError[] {
  const errors = validateValue(plan, value, path, work);
  if (!Array.isArray(value)) return errors;
  const isItem = ({ field }: FieldError) => field.startsWith(`${path}[`);
  return errors.map((error) =>
    isItem(error) ? { ...error, field: `${path}.${error.field.slice(path.length)}` } : error,
  );
}

/** An object that has `value` at the end of the trail and nothing else. */
function surrounded(value: unknown, trail: readonly (string | 0)[]): unknown {
  const inner = trail.reduceRight<unknown>(
    (made, step) => (step === 0 ? [made] : Object.fromEntries([[step, made]])),
    value,
  );
  return { apiVersion: "v1", kind: "Object", ...(inner as object) }; // a trail begins with a name
}
