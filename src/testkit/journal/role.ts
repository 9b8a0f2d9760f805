/** The least roles under which recorded requests would have been allowed. */

import type { JournalEntry, LeastRole, Rule } from "./contract.ts";

interface RoleNames {
  /** "access.orch.io/v1": of roles, in the vocabulary of the server. */
  readonly apiVersion: string;
  readonly name: string;
}

/** One ClusterRole for what is in no namespace or in all of them, and one Role for each namespace. */
export function leastRoles(entries: readonly JournalEntry[], { apiVersion, name }: RoleNames): LeastRole[] {
  const byNamespace = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const { namespace } = entry;
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), entry]);
  }
  return [...byNamespace]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, all]) => ({
      apiVersion,
      kind: namespace === "" ? "ClusterRole" : "Role",
      metadata: namespace === "" ? { name } : { name, namespace },
      rules: rulesOf(all),
    }));
}

/** Resources of one group with the same verbs are one rule. */
function rulesOf(entries: readonly JournalEntry[]): Rule[] {
  const verbs = new Map<string, Set<string>>();
  for (const { group, resource, subresource, path, verb } of entries) {
    const target =
      resource === "" ? `path ${path}` : `${group} ${subresource === "" ? resource : `${resource}/${subresource}`}`;
    const granted = (verbs.get(target) ?? new Set()).add(verb);
    // A client lists again when its watch has expired, and lists first where the server has no watch lists.
    if (verb === "watch" && resource !== "") granted.add("list");
    verbs.set(target, granted);
  }
  const targets = new Map<string, string[]>();
  for (const [target, set] of verbs) {
    const [group = "", what = ""] = target.split(" ");
    const key = `${group} ${[...set].sort().join(",")}`;
    targets.set(key, [...(targets.get(key) ?? []), what]);
  }
  return [...targets].sort().map(([key, what]) => {
    const [group = "", list = ""] = key.split(" ");
    const found = { verbs: list.split(",") };
    if (group === "path") return { nonResourceURLs: what.sort(), ...found };
    return { apiGroups: [group], resources: what.sort(), ...found };
  });
}
