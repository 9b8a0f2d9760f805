/** ValidatingAdmissionWebhook: calls all webhooks that match at once; any of them may refuse the request. */

import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { type CallParts, callParts, callWebhook } from "./call.ts";
import { configuresWebhooks, followConfigurations } from "./configurations.ts";
import { createMatch } from "./match.ts";
import type { WebhookCandidate } from "./webhook-index.ts";

const name = "ValidatingAdmissionWebhook";

export function createValidatingWebhooks(context: AdmissionContext): AdmissionPlugin {
  const parts = callParts(context, name);
  const configurations = followConfigurations(context.registry, context.catalog, "validating");
  return {
    name,
    handles: (request) => configurations.current()(request).length > 0 && !configuresWebhooks(request.kind),
    validate(request) {
      // However long they take, other requests are served meanwhile.
      const comeBack = request.releaseSeat();
      return callAll(context, parts, request, configurations.current()(request)).finally(comeBack);
    },
  };
}

/** Waits for all of them, so that no call outlives the request. Of several refusals, the first in the order of webhooks is returned. */
async function callAll(
  context: AdmissionContext,
  parts: CallParts,
  request: AdmissionRequest,
  candidates: readonly WebhookCandidate[],
): Promise<void> {
  const match = createMatch(context, request);
  const chosen: WebhookCandidate[] = [];
  for (const candidate of candidates) if (await match.calls(candidate)) chosen.push(candidate);
  const outcomes = await Promise.allSettled(
    chosen.map((candidate) => callWebhook(parts, request, candidate, () => undefined)),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
