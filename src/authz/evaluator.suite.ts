/**
 * A second implementation for tests: RBAC and ABAC written directly from the specification, with no index, no shared code and
 * no regard for speed. Whatever it decides, the authorizers must decide too.
 */

import type { AbacPolicy } from "./abac-policy.ts";
import type { Attributes } from "./contract.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { Binding } from "./rbac-index.ts";
import type { SubjectNames } from "./subject-names.ts";

export interface World {
  /** By "namespace/name"; cluster roles by "/name". */
  readonly roles: Map<string, readonly PolicyRule[]>;
  readonly bindings: Map<string, Binding>;
}

export function rbacAllows(world: World, asked: Attributes, names: SubjectNames): boolean {
  for (const binding of world.bindings.values()) {
    const clusterWide = binding.namespace === "";
    if (!clusterWide && !(asked.isResource && asked.namespace === binding.namespace)) continue;
    if (!binding.subjects.some((subject) => isSubject(subject, binding, asked.user, names))) continue;
    let rules: readonly PolicyRule[] | undefined;
    if (binding.roleRef.kind === "ClusterRole") rules = world.roles.get(`/${binding.roleRef.name}`);
    if (binding.roleRef.kind === "Role" && !clusterWide) {
      rules = world.roles.get(`${binding.namespace}/${binding.roleRef.name}`);
    }
    for (const rule of rules ?? []) if (grants(rule, asked)) return true;
  }
  return false;
}

function isSubject(
  subject: Binding["subjects"][number],
  binding: Binding,
  user: Attributes["user"],
  names: SubjectNames,
): boolean {
  if (subject.kind === "User") return sameName(subject.name, user.name, names);
  if (subject.kind === "Group") return user.groups.some((group) => sameName(subject.name, group, names));
  if (subject.kind !== "ServiceAccount") return false;
  const namespace = subject.namespace ? subject.namespace : binding.namespace;
  return namespace !== "" && user.name === ["system", "serviceaccount", namespace, subject.name].join(":");
}

function sameName(a: string, b: string, names: SubjectNames): boolean {
  if (a === b) return true;
  if (names === "exact" || a.startsWith("system:") || b.startsWith("system:")) return false;
  return a.toLowerCase() === b.toLowerCase();
}

function grants(rule: PolicyRule, asked: Attributes): boolean {
  const verbs = rule.verbs ?? [];
  if (!verbs.includes(asked.verb) && !verbs.includes("*")) return false;
  if (!asked.isResource) {
    for (const path of rule.nonResourceURLs ?? []) {
      if (path === asked.path) return true;
      if (path.at(-1) === "*") {
        let stem = path;
        while (stem.at(-1) === "*") stem = stem.slice(0, -1);
        if (asked.path.slice(0, stem.length) === stem) return true;
      }
    }
    return false;
  }
  const groups = rule.apiGroups ?? [];
  if (!groups.includes(asked.group) && !groups.includes("*")) return false;
  const wanted = asked.subresource ? `${asked.resource}/${asked.subresource}` : asked.resource;
  const covered = (rule.resources ?? []).some((resource) => {
    if (resource === "*" || resource === wanted) return true;
    return asked.subresource !== "" && resource === `*/${asked.subresource}`;
  });
  if (!covered) return false;
  const only = rule.resourceNames ?? [];
  return only.length === 0 || only.includes(asked.name);
}

export function abacAllows(policies: readonly AbacPolicy[], asked: Attributes): boolean {
  return policies.some((policy) => {
    if (policy.user === "" && policy.group === "") return false;
    if (policy.user !== "" && policy.user !== asked.user.name) return false;
    if (policy.group !== "" && !asked.user.groups.some((group) => group === policy.group)) return false;
    const reads = asked.verb === "get" || asked.verb === "list" || asked.verb === "watch";
    if (policy.readonly && !reads) return false;
    if (asked.isResource) {
      const fits = (pattern: string, value: string) => pattern === "*" || pattern === value;
      return (
        fits(policy.namespace, asked.namespace) &&
        fits(policy.resource, asked.resource) &&
        fits(policy.apiGroup, asked.group)
      );
    }
    const pattern = policy.nonResourcePath;
    if (pattern === "") return false;
    if (pattern === "*" || pattern === asked.path) return true;
    return pattern.endsWith("*") && asked.path.startsWith(pattern.replaceAll(/\**$/g, ""));
  });
}

/** Numbers below `below`, the same for the same seed: a failed run is replayed from the seed it printed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
