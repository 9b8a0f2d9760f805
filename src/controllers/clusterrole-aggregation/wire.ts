/** clusterrole-aggregation: roles with an aggregation rule have the rules of all roles that it selects. */

import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { inTimeSlices } from "../../base/time-slice.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { planRole } from "./reconcile.ts";

export const clusterRoleAggregation: Controller = {
  name: "clusterrole-aggregation",
  account: "clusterrole-aggregation-controller",
  start({ informers, queue: createQueue }) {
    const roles = informers.of(ClusterRole);
    const aggregates = roles.index("aggregates", ({ aggregationRule }) => (aggregationRule ? ["yes"] : []));
    const queue = createQueue({
      workers: 5,
      after: [roles],
      sync(name) {
        const role = roles.get(name);
        return role && inTimeSlices(planRole(role, roles.list(), typeOf(roles.address)));
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
