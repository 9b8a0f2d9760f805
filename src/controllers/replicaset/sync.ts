/** The loop that ReplicaSets and ReplicationControllers share: the desired number of pods, and the status. */

import { Pod } from "../../api/core/v1/pod.ts";
import { type AnyObject, typeOf } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import type { WorkQueue } from "../../client/queue/contract.ts";
import { isNamespaceTerminating } from "../../client/requests/send.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import type { LabelSelector } from "../../machinery/selectors/label-selector.ts";
import type { ControllerContext } from "../contract.ts";
import { adoptAndRelease } from "../parts/ownership/adopt.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { claim } from "../parts/ownership/claim.ts";
import { controllerRef } from "../parts/ownership/controller-ref.ts";
import { followOwned } from "../parts/ownership/follow.ts";
import { createExpectations } from "../parts/pods/expectations.ts";
import { podFromTemplate } from "../parts/pods/from-template.ts";
import { createPodControl, messageOf } from "../parts/pods/pod-control.ts";
import { slowStart } from "../parts/pods/slow-start.ts";
import { isDeleting, isPodActive } from "../parts/pods/state.ts";
import {
  isStatusCurrent,
  planReplicas,
  type ReplicaOwner,
  replicaStatus,
  reviewInMs,
  wantedReplicas,
} from "./reconcile.ts";

export interface ReplicaFamily<T extends AnyObject & ReplicaOwner> {
  readonly kind: Kind<T>;
  /** The component that Events name as their source. */
  readonly component: string;
  readonly workers: number;
  readonly selectorOf: (owner: T) => LabelSelector;
  /** Owners that belong together with this one: their pods count when nodes are compared by load. Absent: there are none. */
  readonly relatedOf?: (owner: T) => readonly AnyObject[];
}

export function startReplicas<T extends AnyObject & ReplicaOwner>(
  family: ReplicaFamily<T>,
  context: ControllerContext,
): WorkQueue {
  const { client, informers, clock, gates, vocabulary } = context;
  const owners = informers.of(family.kind);
  const pods = informers.of(Pod);
  const podsOf = byController(pods);
  const recorder = context.recorder(family.component);
  const control = createPodControl(client, recorder);
  const expectations = createExpectations(clock);
  const type = typeOf(owners.address);
  const costKey = gates.enabled("PodDeletionCost")
    ? vocabulary.word("controller.orch.io/pod-deletion-cost")
    : undefined;

  const queue = context.queue({
    workers: family.workers,
    after: [owners, pods],
    async sync(key) {
      const owner = owners.get(key);
      if (owner === undefined) return expectations.forget(key);
      // Checked before the cache is read: what is observed meanwhile counts next time.
      const isSynced = expectations.satisfied(key);
      const owned = await claimPods(owner);
      const failure = isSynced && !isDeleting(owner) ? await manage(key, owner, owned) : undefined;
      await writeStatus(owner, owned, failure);
      const inMs = reviewInMs(owner, owned, clock.now());
      if (inMs !== undefined) queue.addAfter(key, inMs);
      if (failure !== undefined) throw failure;
    },
  });

  function claimPods(owner: T): Promise<Pod[]> {
    const candidates = podsOf.candidatesOf(owner).filter(isPodActive);
    const claims = claim(candidates, { owner, selector: family.selectorOf(owner) });
    return adoptAndRelease(claims, {
      client: client.of(Pod),
      owner: controllerRef(owner, type),
      readOwner: () => client.of(family.kind).get(splitKey(keyOf(owner))),
    });
  }

  /** The failure that stopped the creation or deletion of pods. */
  async function manage(key: string, owner: T, owned: readonly Pod[]): Promise<unknown> {
    // Only the order of deletion depends on the others, which may be many.
    const isTooMany = owned.length > wantedReplicas(owner);
    const related = isTooMany ? (family.relatedOf?.(owner) ?? [owner]).flatMap((each) => podsOf.ownedBy(each)) : [];
    const plan = planReplicas(owner, owned, { costKey, related });
    switch (plan.action) {
      case "none":
        return undefined;
      case "create":
        return await create(key, owner, plan.count);
      case "delete":
        return await remove(key, owner, plan.pods);
    }
  }

  async function create(key: string, owner: T, count: number): Promise<unknown> {
    expectations.expectCreations(key, count);
    const pod = podFromTemplate(owner.spec?.template, controllerRef(owner, type));
    const { done, error } = await slowStart(count, async () => {
      await control.create(owner, pod);
    });
    for (let missing = count - done; missing > 0; missing--) expectations.creationObserved(key);
    return isNamespaceTerminating(error) ? undefined : error;
  }

  async function remove(key: string, owner: T, doomed: readonly Pod[]): Promise<unknown> {
    expectations.expectDeletions(key, doomed.map(keyOf));
    const outcomes = await Promise.allSettled(
      doomed.map(async (pod) => {
        try {
          await control.delete(owner, pod, "there are more pods than spec.replicas");
        } catch (error) {
          expectations.deletionObserved(key, keyOf(pod));
          throw error;
        }
        // It may have been gone before; then there is no event.
        if (pods.get(keyOf(pod))?.metadata.uid !== pod.metadata.uid) expectations.deletionObserved(key, keyOf(pod));
      }),
    );
    return outcomes.find((outcome) => outcome.status === "rejected")?.reason;
  }

  async function writeStatus(owner: T, owned: readonly Pod[], failure: unknown): Promise<void> {
    const reason = failure === undefined ? undefined : messageOf(failure);
    const status = replicaStatus(owner, owned, { nowMs: clock.now(), failure: reason });
    if (!isStatusCurrent(owner, status)) await client.of(family.kind).updateStatus({ ...owner, status });
  }

  owners.on({
    add: (owner) => queue.add(keyOf(owner)),
    update: (owner) => queue.add(keyOf(owner)),
    delete(owner) {
      expectations.forget(keyOf(owner));
      queue.add(keyOf(owner));
    },
  });
  followOwned({
    objects: pods,
    owners,
    selectorOf: family.selectorOf,
    expectations,
    changed: (key) => queue.add(key),
  });
  return queue;
}
