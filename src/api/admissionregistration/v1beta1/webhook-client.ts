/** How a webhook is called and what it is called for, in v1beta1. */

import { elided, list, optional, string } from "../../../machinery/schema/build.ts";
import { reviewVersionsDoc, sideEffectsDoc, webhookFieldsOf } from "../v1/webhook-client.ts";

export const webhookFields = webhookFieldsOf("v1beta1", {
  failurePolicy: "Ignore",
  timeoutSeconds: 30,
  matchPolicy: "Exact",
  sideEffects: optional(string()).at(6).default("Unknown").doc(sideEffectsDoc),
  admissionReviewVersions: elided(list(string())).at(8).default(["v1beta1"]).doc(reviewVersionsDoc),
});
