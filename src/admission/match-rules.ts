/** Whether a rule of a webhook matches a request. */

import type { RuleWithOperations } from "../api/admissionregistration/v1/webhook-client.ts";
import type { Operation } from "../registry/contract/admission.ts";

/** The members of a request that rules match. */
export interface RuleSubject {
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "": the object itself. */
  readonly subresource: string;
  /** Whether the parent of a subresource is in a namespace. A Namespace is not in a namespace. */
  readonly namespaced: boolean;
}

export function ruleMatches(rule: RuleWithOperations, subject: RuleSubject): boolean {
  return (
    scopeMatches(rule.scope ?? "*", subject.namespaced) &&
    includes(rule.operations, subject.operation) &&
    includes(rule.apiGroups, subject.group) &&
    includes(rule.apiVersions, subject.version) &&
    (rule.resources ?? []).some((resource) => resourceMatches(resource, subject))
  );
}

const includes = (allowed: readonly string[] | undefined, value: string) =>
  allowed?.some((one) => one === "*" || one === value) === true;

function scopeMatches(scope: string, namespaced: boolean): boolean {
  if (scope === "*") return true;
  return scope === "Namespaced" ? namespaced : scope === "Cluster" && !namespaced;
}

/** "pods", "pods/status", "pods/*" (pods and everything below), "*" (no subresources), "*\/status", "*\/*". */
function resourceMatches(pattern: string, { resource, subresource }: RuleSubject): boolean {
  const slash = pattern.indexOf("/");
  const wanted = slash < 0 ? pattern : pattern.slice(0, slash);
  const below = slash < 0 ? "" : pattern.slice(slash + 1);
  return (wanted === "*" || wanted === resource) && (below === "*" || below === subresource);
}
