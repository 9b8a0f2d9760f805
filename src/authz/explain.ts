/** Explains why a user may do something or not, and lists who may: answers that RBAC itself never gives. */

import type { Attributes } from "./contract.ts";
import type { CompiledRule, PolicyRule } from "./policy-rule.ts";
import { hasOrAll, pathsMatch, resourceMatches, ruleAllows } from "./policy-rule.ts";
import type { AppliedBinding, Binding, BindingSubject, RbacIndex } from "./rbac-index.ts";

/** A rule, and the subject, binding and role through which it applies. */
export interface Path {
  readonly subject: BindingSubject;
  readonly binding: Pick<Binding, "namespace" | "name">;
  readonly role: { readonly kind: string; readonly name: string };
  readonly rule: PolicyRule;
}

/** A rule that almost allows the request: `differs` lists the parts it does not cover. */
export interface NearMiss extends Path {
  readonly differs: readonly ("verb" | "group" | "resource" | "name" | "path")[];
}

interface Explanation {
  readonly allowed: boolean;
  /** Every path that grants it. */
  readonly granted: readonly Path[];
  /** If no path grants it: the closest rules of the user, best first. */
  readonly nearest: readonly NearMiss[];
  /** If no path grants it: the smallest rule that would. */
  readonly missing: PolicyRule | undefined;
}

export const nearestShownMax = 5;
export const pathsShownMax = 1_000;

export function explain(index: RbacIndex, asked: Attributes): Explanation {
  const granted: Path[] = [];
  const near: NearMiss[] = [];
  for (const applied of index.bindingsFor(asked.user, asked.isResource ? asked.namespace : "")) {
    for (const rule of index.roleOf(applied.binding)?.rules ?? []) {
      if (ruleAllows(rule, asked)) granted.push(pathOf(applied, rule));
      else near.push({ ...pathOf(applied, rule), differs: differences(rule, asked) });
    }
  }
  if (granted.length > 0) {
    return { allowed: true, granted: granted.slice(0, pathsShownMax), nearest: [], missing: undefined };
  }
  const nearest = near
    .filter(({ differs }) => differs.length < (asked.isResource ? 3 : 2))
    .sort((a, b) => a.differs.length - b.differs.length)
    .slice(0, nearestShownMax);
  return { allowed: false, granted: [], nearest, missing: smallestRule(asked) };
}

/** All subjects that may do it; `user` of the question is ignored. Each path that grants it is listed. */
export function whoCan(index: RbacIndex, asked: Attributes): readonly Path[] {
  const found: Path[] = [];
  for (const binding of index.bindings()) {
    const reaches = binding.namespace === "" || (asked.isResource && binding.namespace === asked.namespace);
    const rule = reaches ? index.roleOf(binding)?.rules.find((candidate) => ruleAllows(candidate, asked)) : undefined;
    if (rule === undefined) continue;
    for (const subject of binding.subjects) {
      found.push(pathOf({ binding, subject }, rule));
      if (found.length >= pathsShownMax) return found;
    }
  }
  return found;
}

function pathOf({ binding, subject }: AppliedBinding, { rule }: CompiledRule): Path {
  const { namespace, name, roleRef } = binding;
  return { subject, binding: { namespace, name }, role: { kind: roleRef.kind, name: roleRef.name }, rule };
}

function differences(rule: CompiledRule, asked: Attributes): NearMiss["differs"] {
  const differs: ("verb" | "group" | "resource" | "name" | "path")[] = [];
  if (!hasOrAll(rule.verbs, asked.verb)) differs.push("verb");
  if (!asked.isResource) {
    if (!pathsMatch(rule.nonResourceURLs, asked.path)) differs.push("path");
    return differs;
  }
  if (!hasOrAll(rule.apiGroups, asked.group)) differs.push("group");
  if (!resourceMatches(rule.resources, asked.resource, asked.subresource)) differs.push("resource");
  if (rule.resourceNames.size > 0 && !rule.resourceNames.has(asked.name)) differs.push("name");
  return differs;
}

function smallestRule(asked: Attributes): PolicyRule {
  if (!asked.isResource) return { verbs: [asked.verb], nonResourceURLs: [asked.path] };
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  return {
    verbs: [asked.verb],
    apiGroups: [asked.group],
    resources: [resource],
    ...(asked.name === "" ? {} : { resourceNames: [asked.name] }),
  };
}
