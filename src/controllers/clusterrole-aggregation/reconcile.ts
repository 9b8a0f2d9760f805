/** The rules that a role aggregates from others. */

import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import type { ServedType } from "../../client/contract.ts";
import { hasReason } from "../../client/requests/refusals.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import { labelMap, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { type Plan, patch, update } from "../plan.ts";

type Rules = NonNullable<ClusterRole["rules"]>;

const fieldManager = "clusterrole-aggregation-controller";

/** `type`: of roles, as the server names it. Undefined: the role has what it aggregates. */
export function planRole(role: ClusterRole, all: readonly ClusterRole[], type: ServedType): Plan | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const rules = aggregateRules(role, all);
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

/** In the order of selectors, then of names, each rule once; a role never aggregates its own. */
export function aggregateRules(role: ClusterRole, all: readonly ClusterRole[]): Rules {
  const byName = [...all].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  const rules: Rules = [];
  for (const object of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorFromObject(object);
    for (const other of byName) {
      if (other.metadata.name === role.metadata.name || !selector.matches(labelMap(other.metadata.labels))) continue;
      for (const rule of other.rules ?? []) {
        if (!rules.some((known) => sameJson(known, rule))) rules.push(rule);
      }
    }
  }
  return rules;
}
