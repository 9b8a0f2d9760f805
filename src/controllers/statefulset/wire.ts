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
import { ordinalOf } from "./pod.ts";
import { planStatefulSet } from "./reconcile.ts";

export const statefulSetController: Controller = {
  name: "statefulset",
  account: "statefulset-controller",
  start(context) {
    const { client, informers, vocabulary } = context;
    const ownership = createOwnership(context, {
      owners: StatefulSet,
      objects: Pod,
      selectorOf: ({ spec }) => labelSelectorFromObject(spec?.selector),
      accepts: (set, pod) => ordinalOf(set, pod) !== undefined,
    });
    const { owners: sets, objects: pods } = ownership;
    const claims = informers.of(PersistentVolumeClaim);
    const revisions = informers.of(ControllerRevision);
    const revisionsOf = createRevisionsOf(client, revisions);
    const queue = context.queue({
      workers: context.settings.concurrentStatefulsetSyncs,
      component: "statefulset-controller",
      after: [sets, pods, claims, revisions],
      async sync(key) {
        const set = sets.get(key);
        if (set === undefined) return;
        const owner = ownership.ownerOf(set);
        return planStatefulSet({
          set,
          owner,
          revisions: await revisionsOf(owner),
          pods: await ownership.claim(set),
          claimOf: (claim) => claims.get(claim),
          nameLabel: vocabulary.word("statefulset.orch.io/pod-name"),
          indexLabel: context.has("podIndexLabels") ? vocabulary.word("apps.orch.io/pod-index") : undefined,
          hashLabel: vocabulary.word("controller.orch.io/hash"),
          nowMs: context.clock.now(),
          countsAvailable: context.has("availableReplicas"),
        });
      },
    });
    sets.on(enqueueChanged(queue));
    ownership.follow((key) => queue.add(key));
    // A new pod may wait until the claim of an earlier one is gone.
    claims.on({
      delete({ metadata: { namespace, ownerReferences = [] } }) {
        const pod = ownerReferences.find(({ kind }) => kind === "Pod")?.name;
        if (pod !== undefined) queue.add(`${namespace}/${pod.replace(/-[0-9]+$/, "")}`);
      },
    });
    return queue;
  },
};
