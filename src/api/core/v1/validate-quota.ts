/** Checks of resource quotas: which resources can be counted, and for which objects. */

import { on } from "../../../machinery/schema/constraints.ts";
import {
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
} from "../../../machinery/status/field-error.ts";
import { affinityScope, attributesScope, plainScopes, ScopedResourceSelectorRequirement } from "./pod/scheduling.ts";
import { isStandardResource } from "./resource-names.ts";
import { notCounted, ResourceQuotaSpec } from "./resource-quota-spec.ts";

const podCounts = new Set(["pods"]);
const podCompute = new Set(["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]);
const conflicting = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

export const quotaRelations = [
  on(ResourceQuotaSpec, (spec) => together(validateScopes(spec), validateScopeSelector(spec))),
  on(ScopedResourceSelectorRequirement, validateExpression),
];

/** Scopes are a set. */
export function validateQuotaUpdate({ scopes }: ResourceQuotaSpec, old: ResourceQuotaSpec): FieldErrors {
  const [now, before] = [new Set(scopes), new Set(old.scopes)];
  const same = now.size === before.size && [...now].every((scope) => before.has(scope));
  return same ? noErrors : [invalid("spec.scopes", scopes ?? [], "field is immutable")];
}

/** Whether objects that `scope` selects use the resource at all. Resources that no quota knows are not checked against its scopes. */
function fits(scope: string, name: string): boolean {
  if (!isStandardResource(name) || notCounted.has(name)) return true;
  switch (scope) {
    case "BestEffort":
      return podCounts.has(name);
    case "Terminating":
    case "NotTerminating":
    case "NotBestEffort":
    case "PriorityClass":
    case affinityScope:
      return podCounts.has(name) || podCompute.has(name);
    case attributesScope:
      return name === "persistentvolumeclaims" || name === "requests.storage";
    default:
      return true;
  }
}

function validateScopes({ scopes = [], hard }: ResourceQuotaSpec): FieldErrors {
  return together(
    ofEach(scopes, (scope) => misfits(scope, hard, "scopes")),
    validateConflicts(scopes, "scopes"),
  );
}

function validateScopeSelector({ scopeSelector, hard }: ResourceQuotaSpec): FieldErrors {
  const path = "scopeSelector.matchExpressions";
  const scopes = (scopeSelector?.matchExpressions ?? []).map(({ scopeName }) => scopeName);
  return together(
    ofEach(scopes, (scope) => misfits(scope, hard, path)),
    validateConflicts(scopes, path),
  );
}

function validateExpression(expression: ScopedResourceSelectorRequirement): FieldErrors {
  const { scopeName, operator, values = [] } = expression;
  const errors: FieldError[] = [];
  if ((plainScopes.has(scopeName) || scopeName === affinityScope) && operator !== "Exists") {
    errors.push(invalid("operator", operator, "must be 'Exists' for this scope"));
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.push(required("values", "must be given with 'In' and 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) errors.push(invalid("values", values, "must be empty with this operator"));
      break;
  }
  return errors;
}

const misfits = (scope: string, hard: ResourceQuotaSpec["hard"], path: string): FieldError[] =>
  Object.keys(hard ?? {})
    .filter((name) => !fits(scope, name))
    .map((name) => invalid(path, scope, `does not apply to ${name}`));

const validateConflicts = (scopes: readonly string[], path: string): FieldError[] =>
  conflicting
    .filter((pair) => pair.every((scope) => scopes.includes(scope)))
    .map(() => invalid(path, scopes, "conflicting scopes"));
