/** Rules in JSON schemas (`x-orch-validations`): which there are, and what they compile to. */

import type { Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import { additionalSchema, type JsonSchema, propertyOf } from "../../machinery/json/json-schema.ts";
import { compileSteps } from "../compile.ts";
import type { Compilation } from "../contract.ts";
import { optionalOf } from "../types/types.ts";
import type { DeclaredType } from "./declared-type.ts";

/** A rule as a definition writes it. */
export interface SchemaRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

const none: readonly SchemaRule[] = [];

export function rulesOf(schema: JsonSchema, prefix: string): readonly SchemaRule[] {
  // Decoded as a list of rules; extensions are not part of the type.
  return (
    ((schema as Readonly<Record<string, unknown>>)[`${prefix}validations`] as readonly SchemaRule[] | undefined) ?? none
  );
}

export interface CompiledSchemaRule {
  readonly given: SchemaRule;
  readonly rule: Compilation;
  /** Undefined: the message is not an expression. */
  readonly message: Compilation | undefined;
  /** The rule compares with the value before, which must be there unless oldSelf is optional. */
  readonly isTransition: boolean;
}

/** A rule on a value of the type. */
export function* ruleSteps(given: SchemaRule, { type }: DeclaredType, release: Release): Steps<CompiledSchemaRule> {
  const old = given.optionalOldSelf === true ? optionalOf(type) : type;
  const variables = new Map([
    ["self", type],
    ["oldSelf", old],
  ]);
  const rule = yield* compileSteps(given.rule ?? "", { release, variables });
  const { messageExpression } = given;
  return {
    given,
    rule,
    message:
      messageExpression === undefined ? undefined : yield* compileSteps(messageExpression, { release, variables }),
    isTransition: rule.program?.variables.has("oldSelf") === true,
  };
}

/** A step of a field path: a property has a name, an entry of a map a key. */
export interface PathStep {
  readonly name: string;
  readonly isKey: boolean;
}

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/** The steps of `.a['b.c']` below a schema; undefined: it is not a path, or leads to no field. */
export function fieldPathSteps(path: string, schema: JsonSchema): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  let at: JsonSchema | undefined = schema;
  step.lastIndex = 0;
  for (let end = 0; end < path.length; end = step.lastIndex) {
    step.lastIndex = end;
    const match = step.exec(path);
    if (match === null || at === undefined) return undefined;
    const name = match[1] ?? match[2]!.replace(/\\(.)/g, "$1");
    const isNamed: boolean = at.properties !== undefined;
    at = isNamed ? propertyOf(at, name) : additionalSchema(at);
    if (at === undefined) return undefined;
    steps.push({ name, isKey: !isNamed });
  }
  return steps.length === 0 ? undefined : steps;
}
