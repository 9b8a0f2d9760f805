/** Which requests a policy or a binding is about: rules, selectors, and conditions in expressions. */

import { describeProblems } from "../../../cel/problems.ts";
import { compilePolicyExpression, type PolicyNames } from "../../../cel/schema/policy-environment.ts";
import { typeName } from "../../../cel/types/types.ts";
import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isPathSegmentName, isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../../machinery/status/field-error.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { repeats } from "../../validation.ts";
import { validateRule } from "./validate-webhook.ts";

export const NamedRuleWithOperations = struct(
  "admissionregistration.v1.NamedRuleWithOperations",
  {
    resourceNames: elided(list(string())).at(1).doc("Names of objects. Absent: all."),
    operations: elided(list(string()))
      .at(1, "ruleWithOperations")
      .doc("CREATE, UPDATE, DELETE, CONNECT, or * for all of them."),
    apiGroups: elided(list(string()))
      .at(1, "ruleWithOperations.rule")
      .doc('API groups of the resources; "" is the core group, * matches all groups and must then stand alone.'),
    apiVersions: elided(list(string()))
      .at(2, "ruleWithOperations.rule")
      .doc("API versions of the resources; * matches all versions and must then stand alone."),
    resources: elided(list(string()))
      .at(3, "ruleWithOperations.rule")
      .doc("Resources such as pods, subresources such as pods/status, or patterns such as pods/* and */scale."),
    scope: optional(string())
      .at(4, "ruleWithOperations.rule")
      .default("*")
      .doc("Cluster, Namespaced, or * for both. Default: *."),
  },
  { topology: "atomic", inline: { ruleWithOperations: 2, "ruleWithOperations.rule": 2 } },
);
export type NamedRuleWithOperations = Static<typeof NamedRuleWithOperations>;

export const MatchResources = struct(
  "admissionregistration.v1.MatchResources",
  {
    namespaceSelector: optional(LabelSelector)
      .at(1)
      .default({})
      .doc("Matches objects in namespaces with these labels; other objects without a namespace always match."),
    objectSelector: optional(LabelSelector).at(2).default({}).doc("Matches if the labels of the old or new object do."),
    resourceRules: elided(list(NamedRuleWithOperations)).at(3).doc("The operations and resources that match."),
    excludeResourceRules: elided(list(NamedRuleWithOperations)).at(4).doc("Those that do not match all the same."),
    matchPolicy: optional(string())
      .at(7)
      .default("Equivalent")
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

/** Conditions of one policy or webhook. */
export const matchConditionsMax = 64;

export function validateMatchResources(
  given: MatchResources | undefined,
  path: string,
  needsRules: boolean,
): FieldError[] {
  if (given === undefined) return needsRules ? [required(path)] : [];
  const { matchPolicy, resourceRules = [], excludeResourceRules = [] } = given;
  return [
    ...(matchPolicy === undefined || ["Exact", "Equivalent"].includes(matchPolicy)
      ? []
      : [notSupported(`${path}.matchPolicy`, matchPolicy, ["Equivalent", "Exact"])]),
    ...validateLabelSelector(given.namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(given.objectSelector, `${path}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => validateNamedRule(rule, `${path}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => validateNamedRule(rule, `${path}.excludeResourceRules[${index}]`)),
    ...(needsRules && resourceRules.length === 0 ? [required(`${path}.resourceRules`)] : []),
  ];
}

function validateNamedRule(rule: NamedRuleWithOperations, path: string): FieldError[] {
  const { resourceNames = [] } = rule;
  const repeated = repeats(resourceNames);
  return [
    ...validateRule(rule, path),
    ...resourceNames.flatMap((name, index) => {
      const at = `${path}.resourceNames[${index}]`;
      if (repeated.has(index)) return [duplicate(at, name)];
      return isPathSegmentName(name).map((problem) => invalid(at, name, problem));
    }),
  ];
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
