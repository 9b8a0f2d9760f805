/** pvc-protection: a claim that a pod uses stays until the pod is gone. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { protectionOf } from "../parts/protection/protection.ts";
import { claimKeysOf, mayFreeClaims, usesClaim } from "./reconcile.ts";

export const pvcProtection: Controller = {
  name: "pvc-protection",
  account: "pvc-protection-controller",
  start(context) {
    const claims = context.informers.of(PersistentVolumeClaim);
    const pods = context.informers.of(Pod);
    const users = pods.index("claims", (pod) => claimKeysOf(pod));
    const queue = protectionOf(context, PersistentVolumeClaim, claims, {
      finalizer: context.vocabulary.word("orch.io/pvc-protection"),
      isUsed: (claim) => users.get(keyOf(claim)).some((pod) => usesClaim(pod, claim)),
      users: { kind: Pod, uses: usesClaim },
      after: [pods],
    });
    const freed = (pod: Pod) => {
      for (const claim of claimKeysOf(pod)) queue.add(claim);
    };
    pods.on({
      add(pod) {
        if (mayFreeClaims(pod)) freed(pod);
      },
      update(pod, old) {
        if (mayFreeClaims(pod)) freed(pod);
        if (old.metadata.uid !== pod.metadata.uid) freed(old);
      },
      delete: freed,
    });
    return queue;
  },
};
