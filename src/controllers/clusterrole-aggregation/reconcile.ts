/** The rules that a role aggregates from others. */

import type { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import { labelMap, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";

type Rules = NonNullable<ClusterRole["rules"]>;

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
