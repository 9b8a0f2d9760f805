/** pvc-protection: a claim that a pod uses stays until the pod is gone. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Controller } from "../contract.ts";
import { protectionOf } from "../protection.ts";
import { claimsOf } from "./reconcile.ts";

export const pvcProtection: Controller = {
  name: "pvc-protection",
  account: "pvc-protection-controller",
  start(context) {
    const claims = context.informers.of(PersistentVolumeClaim);
    const pods = context.informers.of(Pod);
    const users = pods.index("claims", (pod) => claimsOf(pod));
    const queue = protectionOf(context, PersistentVolumeClaim, claims, {
      finalizer: context.vocabulary.word("orch.io/pvc-protection"),
      isUsed: ({ metadata }) => users.get(`${metadata.namespace ?? ""}/${metadata.name ?? ""}`).length > 0,
      after: [pods],
    });
    pods.on({
      delete(pod) {
        for (const claim of claimsOf(pod)) queue.add(claim);
      },
    });
    return queue;
  },
};
