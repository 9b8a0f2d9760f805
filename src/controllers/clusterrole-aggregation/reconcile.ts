/** The rules that a role aggregates from others. */

import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { Pace, type Steps } from "../../base/time-slice.ts";
import type { ServedType } from "../../client/contract.ts";
import { hasReason } from "../../client/requests/refusals.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import { labelMap, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { type Plan, patch, update } from "../plan.ts";

type Rules = NonNullable<ClusterRole["rules"]>;

const fieldManager = "clusterrole-aggregation-controller";

/** `type`: of roles, as the server names it. Undefined: the role has what it aggregates. */
export function* planRole(role: ClusterRole, all: readonly ClusterRole[], type: ServedType): Steps<Plan | undefined> {
  if (role.aggregationRule === undefined) return undefined;
  const rules = yield* aggregateRules(role, all);
  if (sameJson(rules, role.rules ?? [])) return undefined;
  const { name = "" } = role.metadata;
  // By server-side apply, so that rules of others stay while nothing is aggregated, and are replaced otherwise.
  const body = { ...type, metadata: { name }, ...(rules.length > 0 ? { rules } : {}) };
  return {
    writes: [patch(ClusterRole, { name }, body, { type: "apply", fieldManager, force: true })],
    failed: (error) =>
      knowsNoApply(error) ? { recovered: true, writes: [update(ClusterRole, { ...role, rules })] } : undefined,
  };
}

/** A server whose gate ServerSideApply is off refuses the type of the patch, in the words of its vocabulary. */
const knowsNoApply = (error: unknown): boolean => hasReason(error, "UnsupportedMediaType", "NotAcceptable");

/**
 * In the order of selectors, then of names, each rule once; a role never aggregates its own. A role may have tens of thousands of
 * selectors and of rules, so that each role is gathered once, and each rule is compared by its text.
 */
export function* aggregateRules(role: ClusterRole, all: readonly ClusterRole[]): Steps<Rules> {
  const byName = [...all].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  let others = byName
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .map((other) => ({ other, labels: labelMap(other.metadata.labels) }));
  const rules = new Map<string, Rules[number]>();
  const pace = new Pace();
  for (const object of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorFromObject(object);
    const left: typeof others = [];
    for (const each of others) {
      if (pace.isDue) yield;
      if (!selector.matches(each.labels)) {
        left.push(each);
        continue;
      }
      for (const rule of each.other.rules ?? []) {
        if (pace.isDue) yield;
        const text = JSON.stringify(rule);
        if (!rules.has(text)) rules.set(text, rule);
      }
    }
    others = left;
    yield;
  }
  return [...rules.values()];
}
