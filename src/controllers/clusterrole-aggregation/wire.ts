/** clusterrole-aggregation: roles with an aggregation rule have the rules of all roles that it selects. */

import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { apiVersionOf } from "../../client/requests/address.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import type { Controller } from "../contract.ts";
import { aggregateRules } from "./reconcile.ts";

const fieldManager = "clusterrole-aggregation-controller";

export const clusterRoleAggregation: Controller = {
  name: "clusterrole-aggregation",
  account: "clusterrole-aggregation-controller",
  start({ client, informers, queue: createQueue }) {
    const roles = informers.of(ClusterRole);
    const resource = client.of(ClusterRole);
    const aggregates = roles.index("aggregates", ({ aggregationRule }) => (aggregationRule ? ["yes"] : []));
    const queue = createQueue({
      workers: 5,
      after: [roles],
      async sync(name) {
        const role = roles.get(name);
        if (role?.aggregationRule === undefined) return;
        const rules = aggregateRules(role, roles.list());
        if (sameJson(rules, role.rules ?? [])) return;
        // By server-side apply, so that rules of others stay while nothing is aggregated, and are replaced otherwise.
        const type = { apiVersion: apiVersionOf(resource.address), kind: resource.address.kind };
        const body = { ...type, metadata: { name }, ...(rules.length > 0 ? { rules } : {}) };
        await resource.patch({ name }, body, { type: "apply", fieldManager, force: true });
      },
    });
    // Finding the roles that a change affects needs all selectors anyway, and there are few of them.
    const changed = () => {
      for (const role of aggregates.get("yes")) queue.add(keyOf(role));
    };
    roles.on({ add: changed, update: changed, delete: changed });
    return queue;
  },
};
