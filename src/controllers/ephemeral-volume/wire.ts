/** ephemeral-volume: volumes that live with their pod get claims that the pod owns. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { claimKeysOf } from "../pvc-protection/reconcile.ts";
import { ownVolumes, planVolumes } from "./reconcile.ts";

export const ephemeralVolume: Controller = {
  name: "ephemeral-volume",
  account: "ephemeral-volume-controller",
  start(context) {
    if (!context.gates.enabled("GenericEphemeralVolume")) return undefined;
    const pods = context.informers.of(Pod);
    const claims = context.informers.of(PersistentVolumeClaim);
    const users = pods.index("claims", (pod) => claimKeysOf(pod));
    const queue = context.queue({
      name: "ephemeral_volume",
      component: "ephemeral_volume",
      workers: 10,
      after: [pods, claims],
      sync(key) {
        const pod = pods.get(key);
        return pod && planVolumes(pod, (claim) => claims.get(claim));
      },
    });
    pods.on({
      add(pod) {
        if (ownVolumes(pod).length > 0) queue.add(keyOf(pod));
      },
    });
    // Regardless of its owner: the name of the deleted claim is free for the claim of the pod.
    claims.on({
      delete(claim) {
        for (const pod of users.get(keyOf(claim))) if (ownVolumes(pod).length > 0) queue.add(keyOf(pod));
      },
    });
    return queue;
  },
};
