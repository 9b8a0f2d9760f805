/** csrsigning: approved requests get their certificates from the four built-in signers. */

import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { builtInSigners } from "../parts/certificates/signer-rules.ts";
import { updateStatus } from "../plan.ts";
import { openAuthority } from "./authority.ts";
import { isSignable, signed } from "./reconcile.ts";

export const csrSigning: Controller = {
  name: "csrsigning",
  account: "certificate-controller",
  start({ informers, vocabulary, settings, clock, log, queue: createQueue }) {
    const signers = new Map(
      builtInSigners.flatMap((signer) => {
        const authority = settings.signers.get(signer);
        return authority === undefined
          ? []
          : [[vocabulary.word(signer), { signer, authority: openAuthority(authority) }] as const];
      }),
    );
    if (signers.size === 0) return undefined;
    const requests = informers.of(CertificateSigningRequest);
    const queue = createQueue({
      workers: 5,
      after: [requests],
      sync(name) {
        const request = requests.get(name);
        const found = request && signers.get(request.spec.signerName);
        if (request === undefined || found === undefined || !isSignable(request)) return;
        const nowMs = clock.now();
        const times = { nowMs, lifeMs: settings.clusterSigningDurationMs, now: timeText(nowMs) };
        const next = signed(request, found.signer, found.authority, times);
        const failed = next.status?.conditions?.find(({ type }) => type === "Failed");
        if (failed !== undefined)
          log.warn("a certificate request cannot be signed", {
            request: name,
            signer: request.spec.signerName,
            reason: failed.message,
          });
        return { status: updateStatus(CertificateSigningRequest, next, { tolerates: ["NotFound"] }) };
      },
    });
    requests.on(enqueueChanged(queue));
    return queue;
  },
};
