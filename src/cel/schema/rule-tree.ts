/** The rules of a schema, compiled, in the shape of the values that they apply to. */

import type { Release } from "../../base/release.ts";
import { additionalSchema, extensions, itemSchema, type JsonSchema } from "../../machinery/json/json-schema.ts";
import type { DeclaredType } from "./declared-type.ts";
import { schemaType } from "./json-schema-type.ts";
import { type CompiledSchemaRule, compileRule, fieldPathSteps, type PathStep, rulesOf } from "./schema-rules.ts";

export interface RuleTree {
  /** Undefined: the schema has no rules at this path. */
  readonly declared: DeclaredType | undefined;
  readonly rules: readonly TreeRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  /** Of a list whose items can be found again by these fields. */
  readonly keys: readonly string[];
}

export interface TreeRule extends CompiledSchemaRule {
  /** Where a refusal is reported, below the value. */
  readonly fieldPath: readonly PathStep[];
}

interface Options {
  readonly prefix: string;
  readonly release: Release;
}

/** Undefined: the schema has no rules. */
export function ruleTreeOf(schema: JsonSchema, options: Options, isRoot = true): RuleTree | undefined {
  const { prefix, release } = options;
  const given = rulesOf(schema, prefix);
  const { listType, listMapKeys, embeddedResource } = extensions(schema, prefix);
  const inner = (child: JsonSchema | undefined) => child && ruleTreeOf(child, options, false);
  const items = inner(itemSchema(schema));
  const additional = inner(additionalSchema(schema));
  const properties = new Map<string, RuleTree>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const tree = inner(child);
    if (tree !== undefined) properties.set(name, tree);
  }
  if (given.length === 0 && items === undefined && additional === undefined && properties.size === 0) return undefined;
  const isResource = isRoot || embeddedResource;
  const declared = given.length === 0 ? undefined : schemaType(schema, { prefix, isResource, name: "self" });
  const rules =
    declared === undefined
      ? []
      : given.map((rule) => ({
          ...compileRule(rule, declared, release),
          fieldPath: rule.fieldPath ? (fieldPathSteps(rule.fieldPath, schema, prefix) ?? []) : [],
        }));
  return { declared, rules, properties, items, additional, keys: listType === "map" ? listMapKeys : [] };
}
