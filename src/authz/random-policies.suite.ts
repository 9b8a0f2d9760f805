/** Random roles, bindings, policies and questions made of few names, so that they often match. */

import type { User } from "../machinery/meta/user.ts";
import type { AbacPolicy } from "./abac-policy.ts";
import type { Attributes } from "./contract.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { Binding, BindingSubject } from "./rbac-index.ts";

export type Random = (below: number) => number;

const users = ["ann", "Ann", "bob", "system:x", "SYSTEM:X", "system:serviceaccount:a:s", "__proto__", "constructor"];
const groups = ["dev", "DEV", "ops", "system:authenticated", "System:authenticated", "system:masters"];
const namespaces = ["a", "b"];
const verbs = ["get", "list", "create", "*", "toString"];
const apiGroups = ["", "apps", "*"];
const resources = ["pods", "pods/log", "nodes", "*", "*/log", "*/status", "pods/*", "__proto__"];
const names = ["x", "y", "", "*"];
const paths = ["/healthz", "/healthz/*", "/healthz*", "*", "/api", "/api/**", "/"];

const one = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]!;
const some = <T>(random: Random, list: readonly T[], max: number): T[] =>
  Array.from({ length: random(max + 1) }, () => one(random, list));

export const randomNamespace = (random: Random): string => one(random, namespaces);
export const roleNames = ["r1", "r2", "r3"];

export function randomRules(random: Random): PolicyRule[] {
  return Array.from({ length: random(6) }, () => {
    if (random(4) === 0) return { verbs: some(random, verbs, 2), nonResourceURLs: some(random, paths, 2) };
    return {
      verbs: some(random, verbs, 5),
      apiGroups: some(random, apiGroups, 4),
      resources: some(random, resources, 6),
      ...(random(3) === 0 ? { resourceNames: some(random, names, 2) } : {}),
    };
  });
}

export function randomBinding(random: Random, name: string): Binding {
  const namespace = random(2) === 0 ? "" : randomNamespace(random);
  return {
    namespace,
    name,
    roleRef: { kind: one(random, ["Role", "ClusterRole", "ClusterRole", "Other"]), name: one(random, roleNames) },
    subjects: Array.from({ length: random(5) }, () => randomSubject(random)),
  };
}

function randomSubject(random: Random): BindingSubject {
  switch (random(5)) {
    case 0:
    case 1:
      return { kind: "User", name: one(random, users) };
    case 2:
    case 3:
      return { kind: "Group", name: one(random, groups) };
    default:
      return { kind: "ServiceAccount", name: "s", ...(random(2) === 0 ? { namespace: randomNamespace(random) } : {}) };
  }
}

export function randomQuestion(random: Random): Attributes {
  const user: User = { name: one(random, users), uid: "", groups: some(random, groups, 4), extra: new Map() };
  const isResource = random(4) !== 0;
  const text = (value: string) => (isResource ? value : "");
  return {
    user,
    verb: one(random, ["get", "list", "create", "delete", "constructor"]),
    isResource,
    path: isResource ? "" : one(random, ["/healthz", "/healthz/ping", "/healthzz", "/api", "/api/v1", "/", "/metrics"]),
    group: text(one(random, ["", "apps", "batch"])),
    version: "v1",
    resource: text(one(random, ["pods", "nodes", "secrets", "__proto__"])),
    subresource: text(one(random, ["", "", "log", "status"])),
    namespace: text(one(random, ["", "a", "b", "c"])),
    name: text(one(random, ["", "x", "z"])),
  };
}

export function randomPolicy(random: Random): AbacPolicy {
  return {
    user: random(2) === 0 ? "" : one(random, users),
    group: random(2) === 0 ? "" : one(random, groups),
    readonly: random(2) === 0,
    apiGroup: one(random, apiGroups),
    resource: one(random, ["pods", "nodes", "*", ""]),
    namespace: one(random, ["", "a", "*"]),
    nonResourcePath: one(random, ["", ...paths]),
  };
}
