/** csrcleaner: deletes certificate requests that have not changed for an hour. */

import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { timeToKeep } from "./reconcile.ts";

export const csrCleaner: Controller = {
  name: "csrcleaner",
  account: "certificate-controller",
  start({ client, informers, clock, queue: createQueue }) {
    const requests = informers.of(CertificateSigningRequest);
    const queue = createQueue({
      workers: 1,
      after: [requests],
      async sync(name) {
        const request = requests.get(name);
        if (request === undefined) return;
        const leftMs = timeToKeep(request, clock.now());
        if (leftMs > 0) return queue.addAfter(name, leftMs);
        const { uid } = request.metadata;
        await ifThere(client.of(CertificateSigningRequest).delete({ name }, { uid, reason: "its time is over" }));
      },
    });
    requests.on(enqueueChanged(queue));
    return queue;
  },
};
