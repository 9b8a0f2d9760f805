/** The functions that declare the roles and bindings that every server starts with, in orch's names. */

import { type Dated, type Release, type Span, since, until } from "../../base/release.ts";
import type { GateWithEffect } from "../../machinery/schema/gates.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { PolicyRule } from "../policy-rule.ts";
import type { BindingSubject } from "../rbac-index.ts";

/** Rules that came or went say when: `since("1.22", rule(…))`. */
type DatedRules = readonly (PolicyRule | Dated<PolicyRule>)[];

export interface DeclaredRole extends Span {
  /** "": a ClusterRole. */
  readonly namespace: string;
  readonly name: string;
  readonly rules: DatedRules;
  /** The roles that aggregate this one: "admin", "edit", "view". */
  readonly partOf: readonly string[];
  /** Whether the rules are those of all roles that are `partOf` this one. */
  readonly aggregated: boolean;
  /** The role and its binding exist only where all of these are on. Absent: always. */
  readonly gates?: readonly GateWithEffect[];
}

export interface DeclaredBinding extends Span {
  /** "": a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  /** The role has the scope of the binding. */
  readonly role: string;
  readonly subjects: readonly (BindingSubject | Dated<BindingSubject>)[];
  /** As of a role. */
  readonly gates?: readonly GateWithEffect[];
}

export const read = "get list watch";
export const write = "create delete deletecollection patch update";
export const allVerbs = "create delete deletecollection get list patch update watch";

/** Lists are words separated by spaces. The core group is "core". */
export function rule(verbs: string, groups: string, resources: string, names = ""): PolicyRule {
  return {
    verbs: words(verbs),
    apiGroups: words(groups).map((group) => (group === "core" ? "" : group)),
    resources: words(resources),
    ...(names === "" ? {} : { resourceNames: words(names) }),
  };
}

export function paths(verbs: string, nonResourceURLs: string): PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(nonResourceURLs) };
}

/** What every component needs that records Events. */
export const events: PolicyRule = rule("create patch update", "core events.orch.io", "events");

/** A rule that a release replaced by another. */
export const changed = (release: Release, before: PolicyRule, after: PolicyRule): Dated<PolicyRule>[] => [
  until(release, before),
  since(release, after),
];

export function clusterRole(name: string, rules: DatedRules, partOf = "", span: Span = {}): DeclaredRole {
  return { namespace: "", name, rules, partOf: words(partOf), aggregated: false, ...span };
}

export function aggregatedRole(name: string, partOf = ""): DeclaredRole {
  return { namespace: "", name, rules: [], partOf: words(partOf), aggregated: true };
}

export function role(namespace: string, name: string, rules: DatedRules): DeclaredRole {
  return { namespace, name, rules, partOf: [], aggregated: false };
}

export function bind(
  name: string,
  subjects: DeclaredBinding["subjects"],
  exists: Pick<DeclaredBinding, "since" | "until" | "gates"> = {},
): DeclaredBinding {
  return { namespace: "", name, role: name, subjects, ...exists };
}

export function bindIn(
  namespace: string,
  name: string,
  subjects: DeclaredBinding["subjects"],
  roleName = name,
): DeclaredBinding {
  return { namespace, name, role: roleName, subjects };
}

export const user = (name: string): BindingSubject => ({ kind: "User", apiGroup: rbacGroup, name });
export const group = (name: string): BindingSubject => ({ kind: "Group", apiGroup: rbacGroup, name });
/** A service account of a component; they all live in the system namespace. */
export const account = (name: string): BindingSubject => ({ kind: "ServiceAccount", name, namespace: "orch-system" });

export const rbacGroup = "rbac.authorization.orch.io";

/** The rule in the names of a vocabulary. Verbs, resources and paths are the same in all. */
export function renameRule(declared: PolicyRule, vocabulary: Vocabulary): PolicyRule {
  return {
    ...declared,
    ...(declared.apiGroups ? { apiGroups: declared.apiGroups.map((name) => vocabulary.group(name)) } : {}),
    ...(declared.resourceNames ? { resourceNames: declared.resourceNames.map((name) => vocabulary.word(name)) } : {}),
  };
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
