/** deployment: gives every Deployment a replica set of its template, and rolls out pods to it. */

import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { createOwnership } from "../parts/ownership/ownership.ts";
import { unfinished } from "../parts/pods/state.ts";
import { deploymentKeys } from "./keys.ts";
import { isRollingUpdate } from "./limits.ts";
import { planDeployment } from "./reconcile.ts";
import { writesOf } from "./writes.ts";

export const deploymentController: Controller = {
  name: "deployment",
  account: "deployment-controller",
  start(context) {
    const selectorOf = ({ spec }: Deployment) => labelSelectorFromObject(spec?.selector);
    const ownership = createOwnership(context, { owners: Deployment, objects: ReplicaSet, selectorOf });
    const { owners: deployments, objects: sets } = ownership;
    const [pods, keys] = [context.informers.of(Pod), deploymentKeys(context.vocabulary)];
    const podsOf = byController(pods, unfinished);
    const queue = context.queue({
      workers: context.settings.concurrentDeploymentSyncs,
      component: "deployment-controller",
      after: [deployments, sets, pods],
      retriesMax: 15,
      sizeOf: (key) => deployments.get(key)?.status?.replicas ?? 0,
      onlyPlans: true,
      async sync(key, cause) {
        const deployment = deployments.get(key);
        if (deployment === undefined) return;
        const owned = await ownership.claim(deployment, cause);
        const podsBySet = () => new Map(owned.map((set) => [set.metadata.uid ?? "", podsOf.ownedBy(set)]));
        const at = { keys, nowMs: context.clock.now(), owner: typeOf(deployments.address) };
        return writesOf(deployment, planDeployment({ deployment, sets: owned, podsBySet }, at), at.nowMs);
      },
    });
    deployments.on(enqueueChanged(queue));
    ownership.follow((key) => queue.add(key));
    // Recreate waits for the end of the last old pod, which changes no replica set.
    const enqueueRecreate = (pod: Pod) => {
      const { namespace = "" } = pod.metadata;
      const set = sets.get(`${namespace}/${controllerOf(pod)?.name}`);
      const owner = set && deployments.get(`${namespace}/${controllerOf(set)?.name}`);
      if (owner !== undefined && !isRollingUpdate(owner)) queue.add(keyOf(owner));
    };
    const update = (pod: Pod, old: Pod) => void (pod.status?.phase !== old.status?.phase && enqueueRecreate(pod));
    pods.on({ delete: enqueueRecreate, update });
    return queue;
  },
};
