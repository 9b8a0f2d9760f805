/** resourceclaim: makes the claims of pods from templates, and takes them back from pods that have ended. */

import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { missingClaims, planClaim, planPodClaims } from "./reconcile.ts";

export const resourceClaimController: Controller = {
  name: "resourceclaim",
  since: "1.34",
  account: "resource-claim-controller",
  start(context) {
    const { informers, vocabulary } = context;
    const pods = informers.of(Pod);
    const claims = informers.of(ResourceClaim);
    const nameKey = vocabulary.word("resource.orch.io/pod-claim-name");
    const finalizer = vocabulary.word("resource.orch.io/delete-protection");
    const podQueue = context.queue({
      name: "resource_claim_pods",
      workers: 10,
      component: "resource_claim",
      after: [pods, claims],
      sync(key) {
        const pod = pods.get(key);
        return pod && planPodClaims({ pod, claims: claims.list(pod.metadata.namespace), nameKey });
      },
    });
    const claimQueue = context.queue({
      name: "resource_claim",
      workers: 10,
      after: [pods, claims],
      sync(key) {
        const claim = claims.get(key);
        const podOf = (name: string) => pods.get(`${claim?.metadata.namespace}/${name}`);
        return claim && planClaim({ claim, podOf, finalizer });
      },
    });
    const releaseClaims = ({ metadata: { namespace }, spec, status }: Pod) => {
      for (const { resourceClaimName: name } of spec?.resourceClaims ?? [])
        if (name) claimQueue.add(`${namespace}/${name}`);
      for (const { resourceClaimName: name } of status?.resourceClaimStatuses ?? [])
        if (name) claimQueue.add(`${namespace}/${name}`);
    };
    const changed = (pod: Pod) => {
      if (missingClaims(pod).length > 0) podQueue.add(keyOf(pod));
      releaseClaims(pod);
    };
    pods.on({ add: changed, update: changed, delete: releaseClaims });
    claims.on(enqueueChanged(claimQueue));
    return undefined;
  },
};
