/** The rules of a schema, compiled, in the shape of the values that they apply to. */

import type { Release } from "../../base/release.ts";
import { Pace, type Steps } from "../../base/time-slice.ts";
import { additionalSchema, extensions, itemSchema, type JsonSchema } from "../../machinery/json/json-schema.ts";
import { SchemaPlan } from "../../machinery/json-schema/plan.ts";
import type { DeclaredType } from "./declared-type.ts";
import { schemaType } from "./json-schema-type.ts";
import { type CompiledSchemaRule, fieldPathSteps, type PathStep, ruleSteps, rulesOf } from "./schema-rules.ts";

export interface RuleTree {
  /** The type of the schema: "object". */
  readonly type: string;
  /** Undefined: the schema has no rules at this path. */
  readonly declared: DeclaredType | undefined;
  readonly rules: readonly TreeRule[];
  /** The schema has rules, and no type to compile them for. */
  readonly isUntyped: boolean;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  /** The keys of a list whose items can be found again by these fields. */
  readonly keys: readonly string[];
  /** The schema as it is applied to values. */
  readonly plan: SchemaPlan;
}

export interface TreeRule extends CompiledSchemaRule {
  /** Where a refusal is reported, below the value. */
  readonly fieldPath: readonly PathStep[];
}

interface Options {
  readonly prefix: string;
  readonly release: Release;
}

/** Undefined: the schema has no rules. In steps: a schema may have thousands, and compiling one takes a while. */
export function* ruleTreeSteps(
  schema: JsonSchema,
  options: Options,
  isRoot = true,
  pace = new Pace(),
): Steps<RuleTree | undefined> {
  if (pace.isDue) yield;
  const { prefix, release } = options;
  const given = rulesOf(schema, prefix);
  const { listType, listMapKeys, embeddedResource } = extensions(schema, prefix);
  const inner = function* (child: JsonSchema | undefined): Steps<RuleTree | undefined> {
    return child && (yield* ruleTreeSteps(child, options, false, pace));
  };
  const items = yield* inner(itemSchema(schema));
  const additional = yield* inner(additionalSchema(schema));
  const properties = new Map<string, RuleTree>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const tree = yield* inner(child);
    if (tree !== undefined) properties.set(name, tree);
  }
  if (given.length === 0 && items === undefined && additional === undefined && properties.size === 0) return undefined;
  const isResource = isRoot || embeddedResource;
  const declared = given.length === 0 ? undefined : schemaType(schema, { prefix, isResource, name: "self" });
  const rules: TreeRule[] = [];
  for (const rule of declared === undefined ? [] : given) {
    const fieldPath = rule.fieldPath ? (fieldPathSteps(rule.fieldPath, schema) ?? []) : [];
    rules.push({ ...(yield* ruleSteps(rule, declared!, release)), fieldPath });
    yield;
  }
  return {
    type: schema.type ?? "",
    declared,
    rules,
    isUntyped: given.length > 0 && declared === undefined,
    properties,
    items,
    additional,
    keys: listType === "map" ? listMapKeys : [],
    plan: new SchemaPlan(schema, prefix),
  };
}
