/** Checks of resource quotas: which resources can be counted, and for which objects. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import type { ScopedResourceSelectorRequirement } from "./pod/scheduling.ts";
import { isStandardResource, validateResourceAmount, validateResourceName } from "./pod/validate-resources.ts";
import type { ResourceQuotaSpec, ResourceQuotaStatus } from "./resource-quota-spec.ts";

const podCounts = new Set(["pods"]);
const podCompute = new Set(["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]);
/** What only containers or volumes have without a prefix, so no quota can count it. */
const notCounted = new Set(["storage"]);

const conflicting = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

export const validateQuota = (spec: ResourceQuotaSpec, environment: Environment): FieldError[] => [
  ...validateAmounts(spec.hard, "spec.hard", environment),
  ...validateScopes(spec, environment),
  ...validateScopeSelector(spec, environment),
];

export function validateQuotaUpdate(
  spec: ResourceQuotaSpec,
  old: ResourceQuotaSpec,
  environment: Environment,
): FieldError[] {
  const [now, before] = [new Set(spec.scopes), new Set(old.scopes)];
  const same = now.size === before.size && [...now].every((scope) => before.has(scope));
  return [
    ...validateQuota(spec, environment),
    ...(same ? [] : [invalid("spec.scopes", spec.scopes ?? [], "field is immutable")]),
  ];
}

export const validateQuotaStatus = (counted: ResourceQuotaStatus, environment: Environment): FieldError[] => [
  ...validateAmounts(counted.hard, "status.hard", environment),
  ...validateAmounts(counted.used, "status.used", environment),
];

function validateAmounts(
  amounts: Readonly<Record<string, string>> | undefined,
  path: string,
  environment: Environment,
): FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) => {
    const at = `${path}[${name}]`;
    const errors = [...validateResourceName(name, at)];
    if (notCounted.has(name)) errors.push(invalid(at, name, "must be a standard resource for quota"));
    return [...errors, ...validateResourceAmount(name, amount, at, environment)];
  });
}

/** Scopes that an object is in or not, without a value. */
const plainScopes = new Set(["Terminating", "NotTerminating", "BestEffort", "NotBestEffort"]);
const affinityScope = "CrossNamespacePodAffinity";

function isScope(scope: string, { gates }: Environment): boolean {
  if (scope === affinityScope) return gates.enabled("PodAffinityNamespaceSelector");
  return scope === "PriorityClass" || plainScopes.has(scope);
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
    default:
      return true;
  }
}

function validateScopes({ scopes = [], hard }: ResourceQuotaSpec, environment: Environment): FieldError[] {
  const path = "spec.scopes";
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!isScope(scope, environment)) errors.push(invalid(path, scope, "unsupported scope"));
    errors.push(...misfits(scope, hard, path));
  }
  return [...errors, ...validateConflicts(scopes, path)];
}

function validateScopeSelector({ scopeSelector, hard }: ResourceQuotaSpec, environment: Environment): FieldError[] {
  const path = "spec.scopeSelector.matchExpressions";
  const expressions = scopeSelector?.matchExpressions ?? [];
  return [
    ...expressions.flatMap((expression) => {
      const { scopeName } = expression;
      const known = isScope(scopeName, environment);
      return [
        ...(known ? [] : [invalid(`${path}.scopeName`, scopeName, "unsupported scope")]),
        ...misfits(scopeName, hard, path),
        ...validateExpression(expression, path),
      ];
    }),
    ...validateConflicts(
      expressions.map(({ scopeName }) => scopeName),
      path,
    ),
  ];
}

function validateExpression(expression: ScopedResourceSelectorRequirement, path: string): FieldError[] {
  const { scopeName, operator, values = [] } = expression;
  const errors: FieldError[] = [];
  if ((plainScopes.has(scopeName) || scopeName === affinityScope) && operator !== "Exists") {
    errors.push(invalid(`${path}.operator`, operator, "must be 'Exists' for this scope"));
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.push(required(`${path}.values`, "must be given with 'In' and 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) errors.push(invalid(`${path}.values`, values, "must be empty with this operator"));
      break;
    default:
      errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
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
