/** Which requests a policy or a binding is about: rules, selectors, and conditions in expressions. */

import { describeProblems } from "../../../cel/problems.ts";
import { compilePolicyExpression, type PolicyNames } from "../../../cel/schema/policy-environment.ts";
import { typeName } from "../../../cel/types/types.ts";
import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isPathSegmentName, isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import {
  duplicate,
  each,
  type FieldError,
  type FieldErrors,
  invalid,
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
    resourceNames: elided(list(string())).at(1).checked(validateResourceNames).doc("Names of objects. Absent: all."),
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
    resourceRules: elided(list(NamedRuleWithOperations)).at(3).doc("The operations and resources that match."),
    excludeResourceRules: elided(list(NamedRuleWithOperations)).at(4).doc("Those that do not match all the same."),
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

/** The kinds of types that an expression may have: "bool". */
export function expressionErrors(
  expression: string,
  path: string,
  names: PolicyNames,
  kinds: readonly string[],
): FieldError[] {
  if (expression.trim() === "") return [required(path)];
  const { program, problems } = compilePolicyExpression(expression, names);
  if (program === undefined) {
    return [invalid(path, expression, `compilation failed: ${describeProblems(expression, problems)}`)];
  }
  if (kinds.length === 0 || kinds.includes(program.type.kind)) return [];
  return [invalid(path, expression, `must evaluate to ${kinds.join(" or ")}, not ${typeName(program.type)}`)];
}

export function validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  path: string,
  names: PolicyNames,
): FieldError[] {
  const given = conditions ?? [];
  if (given.length > matchConditionsMax) return [tooMany(path, given.length, matchConditionsMax)];
  const seen = new Set<string>();
  return given.flatMap(({ name, expression }, index) => {
    const at = `${path}[${index}]`;
    const errors = expressionErrors(expression, `${at}.expression`, names, ["bool"]);
    if (name === "") errors.push(required(`${at}.name`));
    else errors.push(...isQualifiedName(name).map((problem) => invalid(`${at}.name`, name, problem)));
    if (name !== "" && seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
    return errors;
  });
}

interface ConditionalWebhook {
  readonly matchConditions?: readonly MatchCondition[];
}

export function validateWebhookConditions(
  webhooks: readonly ConditionalWebhook[] | undefined,
  { level }: Environment,
): FieldError[] {
  return (webhooks ?? []).flatMap((webhook, index) =>
    validateMatchConditions(webhook.matchConditions, `webhooks[${index}].matchConditions`, { release: level }),
  );
}
