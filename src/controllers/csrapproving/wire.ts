/** csrapproving: approves requests of nodes for their client certificates, if the requester has the permission. */

import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { planApproval } from "./reconcile.ts";

export const csrApproving: Controller = {
  name: "csrapproving",
  account: "certificate-controller",
  start({ informers, vocabulary, clock, queue: createQueue }) {
    const requests = informers.of(CertificateSigningRequest);
    const queue = createQueue({
      workers: 5,
      after: [requests],
      sync(name) {
        const request = requests.get(name);
        return request && planApproval(request, () => timeText(clock.now()), vocabulary);
      },
    });
    requests.on(enqueueChanged(queue));
    return queue;
  },
};
