/** Checks of resource quotas: which resources can be counted, and for which objects. */

import { on } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import {
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
} from "../../../machinery/status/field-error.ts";
import { affinityScope, isKnownScope, plainScopes, ScopedResourceSelectorRequirement } from "./pod/scheduling.ts";
import { misfitsOf } from "./quota-scopes.ts";
import { ResourceQuotaSpec } from "./resource-quota-spec.ts";

const conflicting = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

export const quotaRelations = [
  on(ResourceQuotaSpec, (spec, environment) =>
    together(validateScopes(spec, environment), validateScopeSelector(spec, environment)),
  ),
  on(ScopedResourceSelectorRequirement, validateExpression),
];

/** Scopes are a set. */
export function validateQuotaUpdate({ scopes }: ResourceQuotaSpec, old: ResourceQuotaSpec): FieldErrors {
  const [now, before] = [new Set(scopes), new Set(old.scopes)];
  const same = now.size === before.size && [...now].every((scope) => before.has(scope));
  return same ? noErrors : [invalid("spec.scopes", scopes ?? [], "field is immutable")];
}

function validateScopes({ scopes = [], hard }: ResourceQuotaSpec, environment: Environment): FieldErrors {
  return together(misfits(scopes, hard, "scopes", environment), validateConflicts(scopes, "scopes"));
}

function validateScopeSelector({ scopeSelector, hard }: ResourceQuotaSpec, environment: Environment): FieldErrors {
  const path = "scopeSelector.matchExpressions";
  const scopes = (scopeSelector?.matchExpressions ?? []).map(({ scopeName }) => scopeName);
  return together(misfits(scopes, hard, path, environment), validateConflicts(scopes, path));
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

/** Both lists may have tens of thousands of entries, and there are few scopes, so that each of them looks at the resources once. */
function misfits(
  scopes: readonly string[],
  hard: ResourceQuotaSpec["hard"],
  path: string,
  environment: Environment,
): FieldErrors {
  const names = Object.keys(hard ?? {});
  const found = new Map<string, readonly string[]>();
  return ofEach(scopes, (scope) => {
    const known = found.get(scope) ?? (isKnownScope(scope, environment) ? misfitsOf(scope, names) : []);
    found.set(scope, known);
    return known.map((name) => invalid(path, scope, `does not apply to ${name}`));
  });
}

const validateConflicts = (scopes: readonly string[], path: string): FieldError[] =>
  conflicting
    .filter((pair) => pair.every((scope) => scopes.includes(scope)))
    .map(() => invalid(path, scopes, "conflicting scopes"));
