/** Which requests a policy or a binding is about: rules, selectors, and conditions in expressions. */

import type { Steps } from "../../../base/time-slice.ts";
import type { Program } from "../../../cel/contract.ts";
import { releaseOfNew } from "../../../cel/new-expressions.ts";
import { describeProblems } from "../../../cel/problems.ts";
import { type PolicyNames, policyExpressionSteps } from "../../../cel/schema/policy-environment.ts";
import { dyn, type Type, typeName } from "../../../cel/types/types.ts";
import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isPathSegmentName, isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import {
  duplicate,
  each,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  required,
  tooMany,
} from "../../../machinery/status/field-error.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { repeats } from "../../validation.ts";
import { ruleFields } from "./webhook-client.ts";

export const NamedRuleWithOperations = struct(
  "admissionregistration.v1.NamedRuleWithOperations",
  {
    resourceNames: elided(list(string(), { topology: "atomic" }))
      .at(1)
      .checked(validateResourceNames)
      .doc("Names of objects. Absent: all."),
    ...ruleFields("ruleWithOperations", "ruleWithOperations.rule"),
  },
  { topology: "atomic", inline: { ruleWithOperations: 2, "ruleWithOperations.rule": 2 } },
);
export type NamedRuleWithOperations = Static<typeof NamedRuleWithOperations>;

export const MatchResources = struct(
  "admissionregistration.v1.MatchResources",
  {
    namespaceSelector: optional(LabelSelector)
      .at(1)
      .checked(validateLabelSelector)
      .default({})
      .doc("Matches objects in namespaces with these labels; other objects without a namespace always match."),
    objectSelector: optional(LabelSelector)
      .at(2)
      .checked(validateLabelSelector)
      .default({})
      .doc("Matches if the labels of the old or new object do."),
    resourceRules: elided(list(NamedRuleWithOperations, { topology: "atomic" }))
      .at(3)
      .doc("The operations and resources that match."),
    excludeResourceRules: elided(list(NamedRuleWithOperations, { topology: "atomic" }))
      .at(4)
      .doc("Those that do not match all the same."),
    matchPolicy: optional(string())
      .at(7)
      .default("Equivalent")
      .oneOf(["Equivalent", "Exact"])
      .doc(
        "Exact: only the group and version of a rule. Equivalent: other versions of the resource too. Default: Equivalent.",
      ),
  },
  { topology: "atomic" },
);
export type MatchResources = Static<typeof MatchResources>;

/** A policy, other than its bindings, names the requests it is about. */
export const namesResources = ({ resourceRules }: MatchResources): FieldErrors =>
  resourceRules?.length ? noErrors : [required("resourceRules")];

export const MatchCondition = struct("admissionregistration.v1.MatchCondition", {
  name: string().at(1).doc("The name of the condition, unique in its list."),
  expression: string().at(2).doc("A CEL expression that must be true for a request to match."),
});
export type MatchCondition = Static<typeof MatchCondition>;

/** The conditions of a webhook, where the field has a number of its own in each of the two kinds. */
export const matchConditions = elided(
  list(MatchCondition, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }),
)
  .since("1.27")
  .doc("Conditions that must all be true for the webhook to be called, at most 64.");

/** Conditions of one policy or webhook. */
const matchConditionsMax = 64;

function validateResourceNames(names: readonly string[]): FieldErrors {
  const repeated = repeats(names);
  return ofEach(names, (name, index) =>
    repeated.has(index) ? [duplicate(`[${index}]`, name)] : each(isPathSegmentName(name), `[${index}]`, name),
  );
}

/** `program` undefined: there are errors. */
interface CheckedText {
  readonly program?: Program;
  readonly errors: readonly FieldError[];
}

/** Compiles an expression. `typed` says what its type must be, if it must not be that one. */
export function* expressionSteps(
  expression: string,
  path: string,
  names: PolicyNames,
  typed: (type: Type) => string | undefined = () => undefined,
): Steps<CheckedText> {
  if (expression.trim() === "") return { errors: [required(path)] };
  const { program, problems } = yield* policyExpressionSteps(expression, names);
  if (program === undefined)
    return { errors: [invalid(path, expression, `compilation failed: ${describeProblems(expression, problems)}`)] };
  const wanted = typed(program.type);
  if (wanted === undefined) return { program, errors: [] };
  return { errors: [invalid(path, expression, `must evaluate to ${wanted}, not ${typeName(program.type)}`)] };
}

/** The kinds of types that an expression may have: "bool". */
export const ofType =
  (...kinds: readonly Type["kind"][]) =>
  (type: Type): string | undefined =>
    kinds.includes(type.kind) ? undefined : kinds.join(" or ");

/** In steps: each of the expressions may take long to compile. */
export function* matchConditionSteps(
  conditions: readonly MatchCondition[] | undefined,
  path: string,
  names: PolicyNames,
): Steps<FieldError[]> {
  const given = conditions ?? [];
  if (given.length > matchConditionsMax) return [tooMany(path, given.length, matchConditionsMax)];
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, { name, expression }] of given.entries()) {
    const at = `${path}[${index}]`;
    errors.push(...(yield* expressionSteps(expression, `${at}.expression`, names, ofType("bool"))).errors);
    if (name === "") errors.push(required(`${at}.name`));
    else errors.push(...isQualifiedName(name).map((problem) => invalid(`${at}.name`, name, problem)));
    if (name !== "" && seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
    yield;
  }
  return errors;
}

export interface ConditionalWebhook {
  readonly matchConditions?: readonly MatchCondition[];
}

export function* webhookConditionSteps(
  webhooks: readonly ConditionalWebhook[] | undefined,
  environment: Environment,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const release = releaseOfNew(environment);
  for (const [index, { matchConditions }] of (webhooks ?? []).entries()) {
    const path = `webhooks[${index}].matchConditions`;
    errors.push(...(yield* matchConditionSteps(matchConditions, path, { release })));
  }
  return errors;
}

/** The types of variables, of which each may name those before it. */
export function* variableSteps(
  variables: readonly { readonly name: string; readonly expression: string }[],
  names: PolicyNames,
): Steps<{ readonly types: ReadonlyMap<string, Type>; readonly errors: FieldError[] }> {
  const types = new Map<string, Type>();
  const errors: FieldError[] = [];
  for (const [index, { name, expression }] of variables.entries()) {
    const at = `spec.variables[${index}]`;
    const found = yield* expressionSteps(expression, `${at}.expression`, { ...names, variables: types });
    errors.push(...found.errors);
    types.set(name, found.program?.type ?? dyn);
    yield;
  }
  return { types, errors };
}
