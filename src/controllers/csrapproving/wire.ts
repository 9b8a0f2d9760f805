/** csrapproving: approves requests of nodes for their client certificates, if the requester has the permission. */

import { SubjectAccessReview } from "../../api/authorization/v1/subject-access-review.ts";
import {
  CertificateSigningRequest,
  type CertificateSigningRequestSpec,
} from "../../api/certificates/v1/certificate-signing-request.ts";
import type { Client } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import { timeText } from "../../machinery/values/time.ts";
import { type Controller, TryAgain } from "../contract.ts";
import { withCondition } from "../parts/certificates/conditions.ts";
import { permissionsToAsk } from "./reconcile.ts";

const message = "The node's client certificate was approved after a review of the requester's permissions";

export const csrApproving: Controller = {
  name: "csrapproving",
  account: "certificate-controller",
  start({ client, informers, vocabulary, clock, queue: createQueue }) {
    const requests = informers.of(CertificateSigningRequest);
    const queue = createQueue({
      workers: 5,
      after: [requests],
      async sync(name) {
        const request = requests.get(name);
        if (request === undefined) return;
        const permissions = permissionsToAsk(request, vocabulary);
        for (const subresource of permissions) {
          if (!(await isAllowed(client, request.spec, subresource))) continue;
          const approved = withCondition(
            request,
            { type: "Approved", reason: "AutoApproved", message },
            timeText(clock.now()),
          );
          await ifThere(client.of(CertificateSigningRequest).subresource({ name }, "approval", approved, "PUT"));
          return;
        }
        // The permission may be granted later.
        if (permissions.length > 0) throw new TryAgain("the requester may not request certificates of nodes");
      },
    });
    requests.on({ add: (request) => queue.add(keyOf(request)), update: (request) => queue.add(keyOf(request)) });
    return queue;
  },
};

async function isAllowed(client: Client, spec: CertificateSigningRequestSpec, subresource: string): Promise<boolean> {
  const { username = "", uid, groups, extra } = spec;
  const review = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: username,
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      resourceAttributes: {
        group: client.vocabulary.group("certificates.orch.io"),
        resource: "certificatesigningrequests",
        verb: "create",
        subresource,
      },
    },
  });
  return review.status?.allowed ?? false;
}
