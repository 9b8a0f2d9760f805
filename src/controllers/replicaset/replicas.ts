/** The loop that ReplicaSets and ReplicationControllers share: the desired number of pods, and the status. */

import type { WorkQueue } from "../../base/queue/contract.ts";
import type { AnyObject } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import type { LabelSelector } from "../../machinery/selectors/label-selector.ts";
import type { ControllerContext } from "../contract.ts";
import { enqueueAll } from "../enqueue.ts";
import { createOwnedPods } from "../parts/pods/owned-pods.ts";
import { isPodActive, isTerminating, unfinished } from "../parts/pods/state.ts";
import { planReplicaSet, type ReplicaOwner } from "./reconcile.ts";

interface ReplicaFamily<T extends AnyObject & ReplicaOwner> {
  readonly kind: Kind<T>;
  /** The component that Events name as their source. */
  readonly component: string;
  readonly workers: number;
  readonly selectorOf: (owner: T) => LabelSelector;
  /** Owners that belong together with this one: their pods count when nodes are compared by load. Absent: there are none. */
  readonly relatedOf?: (owner: T) => readonly AnyObject[];
  /** Whether the status says how many pods are being deleted. Default: false. */
  readonly countsTerminating?: boolean;
}

export function startReplicas<T extends AnyObject & ReplicaOwner>(
  family: ReplicaFamily<T>,
  context: ControllerContext,
): WorkQueue {
  const { clock, vocabulary } = context;
  const { kind, component, workers, selectorOf, relatedOf = (owner) => [owner] } = family;
  const owned = createOwnedPods(context, component, {
    owners: kind,
    selectorOf,
    part: unfinished,
    counts: isPodActive,
  });
  const { owners, expectations } = owned;
  // Counts whether or not the gate PodDeletionCost is on.
  const costKey = vocabulary.word("controller.orch.io/pod-deletion-cost");

  const queue = context.queue({
    workers,
    component,
    pods: owned.control,
    after: [owners, owned.pods],
    sizeOf: owned.countOf,
    onlyPlans: true,
    async sync(key, cause) {
      const owner = owners.get(key);
      if (owner === undefined) return expectations.forget(key);
      // Checked before the cache is read: what is observed meanwhile counts next time.
      const isSynced = expectations.satisfied(key);
      return planReplicaSet({
        kind,
        owner,
        reference: owned.ownerOf(owner).reference,
        pods: await owned.claim(owner, cause),
        related: () => relatedOf(owner).flatMap((each) => owned.ownedBy(each)),
        costKey,
        isSynced,
        terminating: family.countsTerminating ? owned.ownedBy(owner).filter(isTerminating).length : undefined,
        nowMs: clock.now(),
      });
    },
  });
  owners.on(enqueueAll(queue));
  owners.on({ delete: (owner) => expectations.forget(keyOf(owner)) });
  owned.follow((key) => queue.add(key));
  return queue;
}
