/** resourceclaim: makes the claims of pods from templates, reserves them, and takes them back from pods that have ended. */

import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { claimKeys, claimWords, keyBeside, planPodClaims } from "./pod-claims.ts";
import { isPodDone, planClaim } from "./reconcile.ts";

export const resourceClaimController: Controller = {
  name: "resourceclaim",
  since: "1.26",
  account: "resource-claim-controller",
  start(context) {
    if (!context.has("resourceClaims")) return;
    const { informers, vocabulary } = context;
    const pods = informers.of(Pod);
    const claims = informers.of(ResourceClaim);
    const templates = informers.of(ResourceClaimTemplate);
    const claimsOf = byController(claims);
    const podsByClaim = pods.index("claims", claimKeys);
    const [words, finalizer] = [claimWords(vocabulary), vocabulary.word("resource.orch.io/delete-protection")];
    const podQueue = context.queue({
      name: "resource_claim_pods",
      workers: 10,
      component: "resource_claim",
      after: [pods, claims, templates],
      sync(key) {
        const pod = pods.get(key);
        return pod && planPodClaims({ pod, claims, templates, made: claimsOf.ownedBy(pod), words });
      },
    });
    const claimQueue = context.queue({
      name: "resource_claim",
      workers: 10,
      after: [pods, claims],
      sync(key) {
        const claim = claims.get(key);
        return claim && planClaim({ claim, podOf: (name) => pods.get(keyBeside(claim, name)), finalizer });
      },
    });
    const releaseClaims = (pod: Pod) => {
      for (const key of claimKeys(pod)) claimQueue.add(key);
    };
    const changed = (pod: Pod) => {
      if (isPodDone(pod)) releaseClaims(pod);
      else if (pod.spec?.resourceClaims?.length) podQueue.add(keyOf(pod));
    };
    pods.on({ add: changed, update: changed, delete: releaseClaims });
    claims.on(enqueueChanged(claimQueue));
    const enqueuePods = (claim: ResourceClaim) => {
      for (const pod of podsByClaim.get(keyOf(claim))) podQueue.add(keyOf(pod));
    };
    claims.on({ add: enqueuePods, update: enqueuePods, delete: enqueuePods });
    return undefined;
  },
};
