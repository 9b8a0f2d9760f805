/** Role-based access control: the subjects of a binding may do what the bound role allows. There are no deny rules. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import type { User } from "../machinery/meta/user.ts";
import { aggregate } from "../machinery/status/aggregate.ts";
import { type Attributes, type Authorizer, type Decision, noOpinion, type RulesAnswer } from "./contract.ts";
import { type CompiledRule, ruleAllows } from "./policy-rule.ts";
import type { AppliedBinding, Binding, RbacIndex } from "./rbac-index.ts";

/** How many missing roles a reason lists. */
const missingShownMax = 5;

export function createRbac(index: RbacIndex): Authorizer {
  /** A binding that changes is another object. */
  const allowed = new WeakMap<AppliedBinding, Decision>();
  return {
    name: "RBAC",
    authorize(asked) {
      const applied = index.findGrant(asked)?.applied;
      if (checksCaches) checkAnswer("grants", applied !== undefined, isAllowed(index, asked));
      if (applied === undefined) return refuse(index, asked);
      let decision = allowed.get(applied);
      if (decision === undefined) {
        decision = { outcome: "allow", reason: `RBAC: allowed by ${describeApplied(applied)}` };
        allowed.set(applied, decision);
      } else if (checksCaches)
        checkAnswer("decisions of bindings", decision.reason, `RBAC: allowed by ${describeApplied(applied)}`);
      return decision;
    },
    rulesFor: (user, namespace) => answer(index, user, namespace),
  };
}

/** As `findGrant`, without what the index has prepared for earlier requests. */
function isAllowed(index: RbacIndex, asked: Attributes): boolean {
  const { rules } = rulesOf(index, { ...asked.user }, asked.isResource ? asked.namespace : "");
  return rules.some((rule) => ruleAllows(rule, asked));
}

/** All rules that apply to a user in a namespace, and the bindings whose role is missing. */
export function rulesOf(
  index: RbacIndex,
  user: User,
  namespace: string,
): { rules: readonly CompiledRule[]; missing: readonly Binding[] } {
  const rules: CompiledRule[] = [];
  const missing: Binding[] = [];
  for (const { binding } of index.bindingsFor(user, namespace)) {
    const role = index.roleOf(binding);
    if (role === undefined) missing.push(binding);
    else rules.push(...role.rules);
  }
  return { rules, missing };
}

/** If a binding names a missing role, that is the likely reason. */
function refuse(index: RbacIndex, asked: Attributes): Decision {
  const missing: string[] = [];
  for (const grants of index.grantsFor(asked.user, asked.isResource ? asked.namespace : "")) {
    for (const { binding } of grants.missing) missing.push(describeMissing(binding));
    if (missing.length >= missingShownMax) break;
  }
  if (missing.length === 0) return noOpinion;
  return { outcome: "none", reason: `RBAC: ${aggregate(missing.slice(0, missingShownMax))}` };
}

function answer(index: RbacIndex, user: User, namespace: string): RulesAnswer {
  const { rules, missing } = rulesOf(index, user, namespace);
  const resourceRules = [];
  const nonResourceRules = [];
  for (const { rule } of rules) {
    if (rule.resources?.length) {
      resourceRules.push({
        verbs: rule.verbs ?? [],
        apiGroups: rule.apiGroups ?? [],
        resources: rule.resources,
        resourceNames: rule.resourceNames ?? [],
      });
    }
    if (rule.nonResourceURLs?.length) {
      nonResourceRules.push({ verbs: rule.verbs ?? [], nonResourceURLs: rule.nonResourceURLs });
    }
  }
  const evaluationError = missing.length === 0 ? {} : { evaluationError: aggregate(missing.map(describeMissing)) };
  return { resourceRules, nonResourceRules, incomplete: false, ...evaluationError };
}

/** `RoleBinding "b/dev" of Role "r" to User "ann"`: for the reason of a decision. */
function describeApplied({ binding, subject }: AppliedBinding): string {
  const where = binding.namespace === "" ? binding.name : `${binding.name}/${binding.namespace}`;
  const kind = binding.namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  return `${kind} "${where}" of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${describeSubject(subject)}`;
}

function describeSubject(subject: { kind: string; name: string; namespace?: string }): string {
  const name = subject.namespace ? `${subject.name}/${subject.namespace}` : subject.name;
  return `${subject.kind} "${name}"`;
}

function describeMissing({ roleRef }: Binding): string {
  return `${roleRef.kind === "ClusterRole" ? "clusterrole" : "role"} "${roleRef.name}" not found`;
}
