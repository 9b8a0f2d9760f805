/** Whether a webhook is called for a request: its selectors, then its conditions. */

import { EvaluationError } from "../../cel/values/values.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, refuse } from "../context.ts";
import { PolicyAccess } from "../policies/evaluation.ts";
import { conditionsHold, inputsOf } from "../policies/judge.ts";
import { createSelection } from "../selection.ts";
import type { WebhookConditions } from "./conditions.ts";
import type { WebhookCandidate } from "./webhook-index.ts";

/** Made for one state of a request, and all webhooks that see it. */
interface Match {
  /** Throws where a condition fails and the webhook must not be skipped then. */
  calls(candidate: WebhookCandidate): boolean | Promise<boolean>;
}

export function createMatch(context: AdmissionContext, request: AdmissionRequest): Match {
  const selection = createSelection(context, request);
  let access: PolicyAccess | undefined;
  const holds = async ({ webhook, kind }: WebhookCandidate, conditions: WebhookConditions): Promise<boolean> => {
    access ??= new PolicyAccess(context.authorizer, request.user);
    // Conditions do not see the namespace.
    const inputs = await inputsOf(request, kind, undefined, access);
    const outcome = await conditionsHold(await conditions.compiled(), inputs, access);
    if (!(outcome instanceof EvaluationError)) return outcome;
    const { name, configuration, ignoresFailure } = webhook;
    context.log.warn("a match condition of a webhook failed", {
      webhook: name,
      configuration,
      ignoresFailure,
      problem: outcome.message,
    });
    if (!ignoresFailure) throw refuse(request, `match condition of webhook "${name}" failed: ${outcome.message}`);
    return false;
  };
  return {
    calls(candidate) {
      const { webhook } = candidate;
      const chosen = selection.chooses(webhook);
      const { conditions } = webhook;
      if (conditions === undefined || chosen === false) return chosen;
      return chosen === true ? holds(candidate, conditions) : chosen.then((is) => is && holds(candidate, conditions));
    },
  };
}
