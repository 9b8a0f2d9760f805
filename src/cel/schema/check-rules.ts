/** Checks of the rules in a schema: that they compile, and that they are affordable. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { additionalSchema, extensions, itemSchema, type JsonSchema } from "../../machinery/json/json-schema.ts";
import { nodesWithDefaults } from "../../machinery/json-schema/defaults.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  problemsFoundMax,
} from "../../machinery/status/field-error.ts";
import type { Compilation } from "../contract.ts";
import { unbounded } from "../cost/range.ts";
import { definitionEstimateMax, definitionRuleCharsMax, requestBytesMax, ruleEstimateMax } from "../limits.ts";
import { releaseOfNew } from "../new-expressions.ts";
import { describeProblems } from "../problems.ts";
import { type DeclaredType, sizeBound } from "./declared-type.ts";
import { schemaType } from "./json-schema-type.ts";
import { ruleProblems } from "./rule-problems.ts";
import { ruleTreeSteps } from "./rule-tree.ts";
import { ruleSteps, rulesOf, type SchemaRule } from "./schema-rules.ts";

/** The first release whose definitions have rules. */
export const rulesSince = "1.23";

interface Place {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly isRoot: boolean;
  /** How often the value may occur in one object; undefined: without a bound. */
  readonly times: number | undefined;
  /** Whether a value can be found again in the object before. */
  readonly hasOld: boolean;
  /** Fields at or below this place whose errors are those of a list around it. */
  readonly ofLists: readonly string[];
}

interface Check {
  readonly prefix: string;
  readonly environment: Environment;
  /** The errors of the schema itself and of members of rules: rules at those places, or around them, are not compiled. */
  readonly schemaErrors: FieldErrors;
  readonly errors: FieldError[];
  readonly pace: Pace;
  total: number;
  /** Characters of the rules so far. */
  chars: number;
  /** The rules that are a noticeable part of the total. */
  readonly expensive: { readonly at: string; readonly cost: number }[];
}

/** How many of the most expensive rules are named where all together cost too much. */
const namedMax = 4;

export function* validateRules(
  schema: JsonSchema,
  path: string,
  context: Pick<Check, "prefix" | "environment" | "schemaErrors">,
): Steps<FieldErrors> {
  const check: Check = { ...context, errors: [], pace: new Pace(), total: 0, chars: 0, expensive: [] };
  yield* visit({ schema, path, isRoot: true, times: 1, hasOld: true, ofLists: [] }, check);
  if (check.total > definitionEstimateMax) {
    const known = new Set(check.errors.map(({ field }) => field));
    const named = check.expensive.sort((a, b) => b.cost - a.cost).slice(0, namedMax);
    for (const { at } of named)
      if (!known.has(at)) check.errors.push(forbidden(at, "contributes to an estimated cost that exceeds the limit"));
    check.errors.unshift(
      forbidden(path, `the estimated cost of all rules exceeds the limit of ${definitionEstimateMax}`),
    );
  }
  return check.errors;
}

function* visit(place: Place, check: Check): Steps<void> {
  const { schema, path } = place;
  if (check.errors.length >= problemsFoundMax) return;
  if (check.pace.isDue) yield;
  const rules = rulesOf(schema, check.prefix);
  if (rules.length > 0 && !hasSchemaErrors(place, check)) {
    const at = `${path}.${check.prefix}validations`;
    const isResource = place.isRoot || extensions(schema, check.prefix).embeddedResource;
    const { has } = check.environment;
    const bounds = { byEnums: has("enumBounds"), ofIntOrStrings: has("intOrStringBounds") };
    const declared = schemaType(schema, { prefix: check.prefix, isResource, name: "self", bounds });
    if (declared === undefined)
      check.errors.push({
        reason: "InternalError",
        field: at,
        message: "Internal error: rules need a schema with a type",
      });
    else
      for (const [index, rule] of rules.entries()) {
        if (isTooLong(rule, path, check)) return;
        yield* checkRule(rule, `${at}[${index}]`, place, declared, check);
        yield;
      }
  }
  const { listType } = extensions(schema, check.prefix);
  const items = itemSchema(schema);
  if (items !== undefined) {
    const item = below(place, items, "items", schema.maxItems, place.hasOld && listType === "map");
    yield* visit({ ...item, ofLists: [...place.ofLists, ...fieldsOfList(schema, path, check.prefix)] }, check);
  }
  const more = additionalSchema(schema);
  if (more !== undefined)
    yield* visit(below(place, more, "additionalProperties", schema.maxProperties, place.hasOld), check);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield* visit(below(place, property, `properties[${name}]`, 1, place.hasOld), check);
}

function hasSchemaErrors({ path, ofLists }: Place, { schemaErrors }: Check): boolean {
  return schemaErrors.some(({ field }) => field.startsWith(path) && !ofLists.includes(field));
}

/** What a list with keys, or of a set, asks of its items. */
function fieldsOfList(schema: JsonSchema, path: string, prefix: string): readonly string[] {
  const { listType, listMapKeys } = extensions(schema, prefix);
  if (listType !== "map" && listType !== "set") return [];
  const items = `${path}.items`;
  const isOfObjects = itemSchema(schema)?.type === "object";
  const words =
    listType === "set"
      ? ["nullable", `${prefix}map-type`, `${prefix}list-type`]
      : ["nullable", ...(isOfObjects ? [] : ["type"])];
  const keys = listMapKeys.map((key) => `${items}.properties[${key}]`);
  const ofKeys = keys.flatMap((key) => [`${key}.type`, `${key}.default`, `${key}.nullable`]);
  return [...words.map((word) => `${items}.${word}`), ...ofKeys];
}

/** Whether all rules so far are too long to be compiled; that is one error. */
function isTooLong({ rule = "", messageExpression = "" }: SchemaRule, path: string, check: Check): boolean {
  const before = check.chars;
  check.chars += rule.length + messageExpression.length;
  if (before <= definitionRuleCharsMax && check.chars > definitionRuleCharsMax) {
    const detail = `all rules together may have at most ${definitionRuleCharsMax} characters`;
    check.errors.push(forbidden(`${path}.${check.prefix}validations`, detail));
  }
  return check.chars > definitionRuleCharsMax;
}

/**
 * Defaults have to meet the rules as they are written, without the defaults of their own fields: as a value that stays what it is,
 * and as one that is new. A rule that does not compile refuses them. `refused`: the paths of schemas whose default is not looked at.
 */
export function* checkDefaultRules(
  schema: JsonSchema,
  path: string,
  { prefix, environment, refused }: Pick<Check, "prefix" | "environment"> & { readonly refused: ReadonlySet<string> },
): Steps<FieldErrors> {
  const errors: FieldError[] = [];
  for (const node of nodesWithDefaults(schema, path, prefix)) {
    yield;
    if (node === undefined || refused.has(node.path) || errors.length >= problemsFoundMax) continue;
    const tree = yield* ruleTreeSteps(node.schema, { prefix, release: environment.level }, node.isResource);
    if (tree === undefined) continue;
    const { default: value } = node.schema;
    const options = { isRatcheted: false, tellsUncompiled: true };
    let problems = yield* ruleProblems(tree, value, value, options);
    if (problems.length === 0) problems = yield* ruleProblems(tree, value, undefined, options);
    const at = `${node.path}.default`;
    for (const problem of problems) errors.push({ ...problem, field: fieldBelow(at, problem.field) });
  }
  return errors;
}

function fieldBelow(path: string, field: string): string {
  if (field === "" || field.startsWith("[")) return `${path}${field}`;
  return `${path}.${field}`;
}

function below(place: Place, schema: JsonSchema, step: string, count: number | undefined, hasOld: boolean): Place {
  const times = place.times === undefined || count === undefined ? undefined : place.times * Math.max(Number(count), 0);
  return { schema, path: `${place.path}.${step}`, isRoot: false, times, hasOld, ofLists: place.ofLists };
}

function* checkRule(given: SchemaRule, at: string, place: Place, declared: DeclaredType, check: Check): Steps<void> {
  const { errors } = check;
  const { rule = "", messageExpression } = given;
  const compiled = yield* ruleSteps(given, declared, releaseOfNew(check.environment));
  if (given.optionalOldSelf !== undefined && !compiled.isTransition)
    errors.push(invalid(`${at}.optionalOldSelf`, given.optionalOldSelf, "may only be set if oldSelf is used in rule"));
  const times = place.times ?? Math.floor(requestBytesMax / (declared.bytesMin + 1));
  if (!checkExpression(compiled.rule, { text: rule, type: "bool", at: `${at}.rule`, declared, times }, check)) return;
  if (compiled.isTransition && !place.hasOld) {
    const detail = "oldSelf cannot be used where a value cannot be found again in the object before";
    errors.push(invalid(`${at}.rule`, rule, detail));
  }
  if (compiled.message !== undefined && messageExpression!.trim() !== "") {
    const text = messageExpression!;
    checkExpression(
      compiled.message,
      { text, type: "string", at: `${at}.messageExpression`, declared, times: 1 },
      check,
    );
  }
}

interface Expected {
  readonly text: string;
  readonly type: "bool" | "string";
  readonly at: string;
  readonly declared: DeclaredType;
  readonly times: number;
}

/** Whether the expression compiles; its cost is counted then. */
function checkExpression(compiled: Compilation, { text, type, at, declared, times }: Expected, check: Check): boolean {
  const { errors } = check;
  if (compiled.program === undefined) {
    errors.push(invalid(at, text, `compilation failed: ${describeProblems(text, compiled.problems)}`));
    return false;
  }
  if (compiled.program.type.kind !== type) {
    errors.push(invalid(at, text, `cel expression must evaluate to a ${type}`));
    return false;
  }
  const cost = compiled.program.estimate(sizeBound(declared), check.environment.level).max * times;
  check.total += cost;
  if (cost >= definitionEstimateMax / 100) check.expensive.push({ at, cost });
  if (cost > ruleEstimateMax) {
    const detail = `estimated cost ${cost < unbounded ? cost : "without a bound"} exceeds the limit of ${ruleEstimateMax} (set maxItems, maxProperties and maxLength where they are missing)`;
    errors.push(forbidden(at, detail));
  }
  return true;
}
