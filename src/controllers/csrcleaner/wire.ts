/** csrcleaner: deletes certificate requests that have not changed for an hour. */

import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { planCleaning } from "./reconcile.ts";

export const csrCleaner: Controller = {
  name: "csrcleaner",
  account: "certificate-controller",
  start({ informers, clock, queue: createQueue }) {
    const requests = informers.of(CertificateSigningRequest);
    const queue = createQueue({
      workers: 1,
      after: [requests],
      sync(name) {
        const request = requests.get(name);
        return request && planCleaning(request, clock.now());
      },
    });
    requests.on(enqueueChanged(queue));
    return queue;
  },
};
