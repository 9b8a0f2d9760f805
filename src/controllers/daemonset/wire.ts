/** daemonset: every DaemonSet has a pod on each node that fits, of the current template. */

import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Node } from "../../api/core/v1/node.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { createOwnedPods } from "../parts/pods/owned-pods.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { createRevisionsOf } from "../parts/revisions/control.ts";
import { affectedBy } from "./daemons.ts";
import { createFailedPods } from "./failed-pods.ts";
import { planDaemonSet } from "./reconcile.ts";

const component = "daemonset-controller";

export const daemonSetController: Controller = {
  name: "daemonset",
  account: "daemon-set-controller",
  start(context) {
    const { client, informers, clock, vocabulary } = context;
    const selectorOf = ({ spec }: DaemonSet) => labelSelectorFromObject(spec?.selector);
    const owned = createOwnedPods(context, component, { owners: DaemonSet, selectorOf });
    const { owners: sets, expectations, countOf: sizeOf } = owned;
    const [nodes, revisions] = [informers.of(Node), informers.of(ControllerRevision)];
    const revisionsOf = createRevisionsOf(client, revisions);
    const failedPods = createFailedPods(clock);
    const queue = context.queue({
      workers: 2, // v1.21 has no flag for it
      component,
      sizeOf,
      pods: owned.control,
      after: [sets, owned.pods, nodes, revisions],
      async sync(key) {
        const set = sets.get(key);
        if (set === undefined) return expectations.forget(key);
        // Its revisions may be deleted before its pods, whose template is then unknown.
        if (isDeleting(set)) return;
        const owner = owned.ownerOf(set);
        const [known, isSynced] = [await revisionsOf(owner), expectations.satisfied(key)];
        const state = { set, owner, pods: await owned.claim(set), revisions: known, nodes: nodes.list(), isSynced };
        const surges = context.gates.enabled("DaemonSetUpdateSurge");
        return planDaemonSet({ ...state, failedPodWaitMs: failedPods.waitMs, nowMs: clock.now(), vocabulary, surges });
      },
    });
    sets.on({ ...enqueueChanged(queue), delete: (set) => expectations.forget(keyOf(set)) });
    owned.follow((key) => queue.add(key));
    const enqueueAffected = (node?: Node, old?: Node) => {
      for (const set of affectedBy(node, old, () => sets.list(), vocabulary)) queue.add(keyOf(set));
    };
    nodes.on({
      add: (node) => enqueueAffected(node),
      update: enqueueAffected,
      delete: (node) => enqueueAffected(undefined, node),
    });
    return queue;
  },
};
