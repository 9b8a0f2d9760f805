/** statefulset: gives every StatefulSet pods with stable names and claims, created and replaced in order. */

import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { createOwnership } from "../parts/ownership/ownership.ts";
import { createRevisionsOf } from "../parts/revisions/control.ts";
import { setKeysOf } from "./claim-owners.ts";
import { ordinalOf } from "./pod.ts";
import { planStatefulSet } from "./reconcile.ts";
import { statefulSetRulesOf } from "./rules.ts";

export const statefulSetController: Controller = {
  name: "statefulset",
  account: "statefulset-controller",
  start(context) {
    const rules = statefulSetRulesOf(context);
    const ownership = createOwnership(context, {
      owners: StatefulSet,
      objects: Pod,
      selectorOf: ({ spec }) => labelSelectorFromObject(spec?.selector),
      accepts: (set, pod) => ordinalOf(set, pod) !== undefined,
    });
    const { owners: sets, objects: pods } = ownership;
    const claims = context.informers.of(PersistentVolumeClaim);
    const revisions = context.informers.of(ControllerRevision);
    const revisionsOf = createRevisionsOf(context.client, revisions);
    const queue = context.queue({
      workers: context.settings.concurrentStatefulsetSyncs,
      component: "statefulset-controller",
      after: [sets, pods, claims, revisions],
      async sync(key) {
        const set = sets.get(key);
        if (set === undefined) return;
        const owner = ownership.ownerOf(set);
        const owned = { revisions: await revisionsOf(owner), pods: await ownership.claim(set) };
        const claimOf = (claim: string) => claims.get(claim);
        return planStatefulSet({ set, owner, ...owned, claimOf, nowMs: context.clock.now(), ...rules });
      },
    });
    sets.on(enqueueChanged(queue));
    ownership.follow((key) => queue.add(key));
    // A new pod may wait until the claim of an earlier one is gone.
    claims.on({
      delete(claim) {
        for (const key of setKeysOf(claim)) queue.add(key);
      },
    });
    return queue;
  },
};
