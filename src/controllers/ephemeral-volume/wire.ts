/** ephemeral-volume: volumes that live with their pod get claims that the pod owns. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { messageOf } from "../plan.ts";
import { claimKeysOf } from "../pvc-protection/reconcile.ts";
import { isOf, ownVolumes } from "./reconcile.ts";

export const ephemeralVolume: Controller = {
  name: "ephemeral-volume",
  account: "ephemeral-volume-controller",
  start(context) {
    if (!context.gates.enabled("GenericEphemeralVolume")) return undefined;
    const pods = context.informers.of(Pod);
    const claims = context.informers.of(PersistentVolumeClaim);
    const users = pods.index("claims", (pod) => claimKeysOf(pod));
    const events = context.recorder("ephemeral_volume");
    const queue = context.queue({
      name: "ephemeral_volume",
      workers: 10,
      after: [pods, claims],
      async sync(key) {
        const pod = pods.get(key);
        for (const { volume, claim } of pod ? ownVolumes(pod) : []) {
          const known = claims.get(keyOf(claim));
          if (pod === undefined || (known !== undefined && isOf(known, pod))) continue;
          try {
            if (known !== undefined)
              throw new Error(`PVC "${claim.metadata.name}" was not created for pod "${key}" (pod is not owner)`);
            await context.client.of(PersistentVolumeClaim).create(claim);
          } catch (error) {
            // Just created, or terminating with its namespace: the next change shows which.
            if (hasReason(error, "AlreadyExists") || isNamespaceTerminating(error)) continue;
            events.event(pod, "Warning", "FailedBinding", `ephemeral volume ${volume}: ${messageOf(error)}`);
            throw error;
          }
        }
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
