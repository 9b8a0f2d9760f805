/** One RBAC rule: what it allows, and which other rules it covers. */

import type { Attributes } from "./contract.ts";

/** As it is stored; absent lists are empty. */
export interface PolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

/** Read once into sets, since a rule is checked far more often than it is written. */
export interface CompiledRule {
  readonly rule: PolicyRule;
  readonly verbs: ReadonlySet<string>;
  readonly apiGroups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Empty: every name, including an absent one. */
  readonly resourceNames: ReadonlySet<string>;
  readonly nonResourceURLs: readonly string[];
}

export function compileRule(rule: PolicyRule): CompiledRule {
  return {
    rule,
    verbs: new Set(rule.verbs ?? []),
    apiGroups: new Set(rule.apiGroups ?? []),
    resources: new Set(rule.resources ?? []),
    resourceNames: new Set(rule.resourceNames ?? []),
    nonResourceURLs: rule.nonResourceURLs ?? [],
  };
}

/** Whether the rule allows the request. */
export function ruleAllows(rule: CompiledRule, asked: Attributes): boolean {
  if (!hasOrAll(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return pathsMatch(rule.nonResourceURLs, asked.path);
  return (
    hasOrAll(rule.apiGroups, asked.group) &&
    resourceMatches(rule.resources, asked.resource, asked.subresource) &&
    (rule.resourceNames.size === 0 || rule.resourceNames.has(asked.name))
  );
}

export function hasOrAll(set: ReadonlySet<string>, value: string): boolean {
  return set.has(value) || set.has("*");
}

/** `pods/log` is named as such, by `*`, or by the subresource of everything: `*` + `/log`. */
export function resourceMatches(resources: ReadonlySet<string>, resource: string, subresource: string): boolean {
  if (resources.has("*")) return true;
  if (subresource === "") return resources.has(resource);
  return resources.has(`${resource}/${subresource}`) || resources.has(`*/${subresource}`);
}

/** A path matches itself, `*`, or a pattern that ends in `*` and whose rest is a prefix of the path. */
export function pathsMatch(patterns: readonly string[], path: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""))),
  );
}
