/** deployment: gives every Deployment a replica set of its template, and rolls out pods to it. */

import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { adoptAndRelease } from "../parts/ownership/adopt.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { claim } from "../parts/ownership/claim.ts";
import { controllerOf, controllerRef, isControlledBy } from "../parts/ownership/controller-ref.ts";
import { followOwned } from "../parts/ownership/follow.ts";
import { messageOf } from "../plan.ts";
import { newCondition, withCondition } from "./conditions.ts";
import { deploymentKeys } from "./keys.ts";
import { isRollingUpdate, progressDeadlineMs } from "./limits.ts";
import { planDeployment } from "./reconcile.ts";
import { sameTemplate } from "./replica-sets.ts";
import type { SetWrite } from "./rollout.ts";

export const deploymentController: Controller = {
  name: "deployment",
  account: "deployment-controller",
  start: startDeployments,
};

function startDeployments(context: ControllerContext) {
  const { client, informers, clock } = context;
  const deployments = informers.of(Deployment);
  const sets = informers.of(ReplicaSet);
  const pods = informers.of(Pod);
  const setsOf = byController(sets);
  const podsOf = byController(pods);
  const recorder = context.recorder("deployment-controller");
  const keys = deploymentKeys(context.vocabulary);
  const type = typeOf(deployments.address);

  const queue = context.queue({
    workers: context.settings.concurrentDeploymentSyncs,
    after: [deployments, sets, pods],
    retriesMax: 15,
    async sync(key) {
      const deployment = deployments.get(key);
      if (deployment === undefined) return;
      const owned = await claimSets(deployment);
      const podsBySet = () => new Map(owned.map((set) => [set.metadata.uid ?? "", podsOf.ownedBy(set)]));
      const plan = planDeployment({ deployment, sets: owned, podsBySet }, { keys, nowMs: clock.now(), owner: type });
      for (const write of plan.sets) {
        // The cache is stale, and so is the plan. The event of the missing set enqueues the key again.
        if (!(await writeSet(deployment, write))) return;
      }
      if (plan.replacement !== undefined) await client.of(Deployment).update(plan.replacement);
      if (plan.status !== undefined) await client.of(Deployment).updateStatus(plan.status);
      for (const event of plan.events) recorder.event(deployment, event.type, event.reason, event.message);
      if (plan.reviewInMs !== undefined) queue.addAfter(key, plan.reviewInMs);
    },
  });

  function claimSets(deployment: Deployment): Promise<ReplicaSet[]> {
    const selector = labelSelectorFromObject(deployment.spec?.selector);
    return adoptAndRelease(claim(setsOf.candidatesOf(deployment), { owner: deployment, selector }), {
      client: client.of(ReplicaSet),
      owner: controllerRef(deployment, type),
      readOwner: () => client.of(Deployment).get(splitKey(keyOf(deployment))),
    });
  }

  /** False: a set that was to be created already exists. */
  async function writeSet(deployment: Deployment, { verb, set, events }: SetWrite): Promise<boolean> {
    const resource = client.of(ReplicaSet);
    if (verb === "create") {
      if (!(await create(deployment, set))) return false;
    } else if (verb === "update") {
      await resource.update(set);
    } else {
      const reason = "there are more than revisionHistoryLimit";
      await ignoreMissing(resource.delete(splitKey(keyOf(set)), { reason }));
    }
    for (const event of events) recorder.event(deployment, event.type, event.reason, event.message);
    return true;
  }

  async function create(deployment: Deployment, set: ReplicaSet): Promise<boolean> {
    try {
      await client.of(ReplicaSet).create(set);
      return true;
    } catch (error) {
      if (hasReason(error, "AlreadyExists")) {
        const existing = await client.of(ReplicaSet).get(splitKey(keyOf(set)));
        const isOurs = isControlledBy(existing, deployment);
        if (isOurs && sameTemplate(existing.spec?.template, set.spec?.template)) return false;
        await countCollision(deployment);
      } else if (!isNamespaceTerminating(error)) {
        await tellFailure(deployment, set, error);
      }
      throw error;
    }
  }

  /** Another template has the same hash: the next name is made with the count. */
  async function countCollision(deployment: Deployment): Promise<void> {
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await client.of(Deployment).updateStatus({ ...deployment, status: { ...deployment.status, collisionCount } });
  }

  async function tellFailure(deployment: Deployment, set: ReplicaSet, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${set.metadata.name}": ${messageOf(error)}`;
    recorder.event(deployment, "Warning", "ReplicaSetCreateError", message);
    if (progressDeadlineMs(deployment) === undefined) return;
    const condition = newCondition("Progressing", "False", "ReplicaSetCreateError", message, clock.now());
    const conditions = withCondition(deployment.status?.conditions ?? [], condition);
    // The first failure is the one to report; if this write fails too, the next attempt repeats it.
    await client
      .of(Deployment)
      .updateStatus({ ...deployment, status: { ...deployment.status, conditions } })
      .catch(() => {});
  }

  deployments.on({
    add: (deployment) => queue.add(keyOf(deployment)),
    update: (deployment) => queue.add(keyOf(deployment)),
  });
  followOwned({
    objects: sets,
    owners: deployments,
    selectorOf: (deployment) => labelSelectorFromObject(deployment.spec?.selector),
    changed: (key) => queue.add(key),
  });
  // Recreate waits for the end of the last old pod, which changes no replica set.
  const tellRecreate = (pod: Pod) => {
    const namespace = pod.metadata.namespace ?? "";
    const set = sets.get(`${namespace}/${controllerOf(pod)?.name}`);
    const owner = set === undefined ? undefined : deployments.get(`${namespace}/${controllerOf(set)?.name}`);
    if (owner !== undefined && !isRollingUpdate(owner)) queue.add(keyOf(owner));
  };
  pods.on({
    delete: tellRecreate,
    update: (pod, old) => {
      if (pod.status?.phase !== old.status?.phase) tellRecreate(pod);
    },
  });
  return queue;
}

async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
  }
}
