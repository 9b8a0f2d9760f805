/** A ValidatingWebhookConfiguration names services that may refuse objects before they are stored. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { rulesForUpdate, v1beta1Rules, validateWebhooks } from "../v1/validate-webhook.ts";
import { ValidatingWebhookConfiguration as Hub } from "../v1/validating-webhook-configuration.ts";
import { RuleWithOperations, WebhookClientConfig } from "./webhook-client.ts";

export const ValidatingWebhook = struct("admissionregistration.v1beta1.ValidatingWebhook", {
  name: string().at(1),
  clientConfig: WebhookClientConfig.at(2),
  rules: elided(list(RuleWithOperations)).at(3),
  failurePolicy: optional(string()).at(4).default("Ignore"),
  namespaceSelector: optional(LabelSelector).at(5).default({}),
  sideEffects: optional(string()).at(6).default("Unknown"),
  timeoutSeconds: optional(int32()).at(7).default(30),
  admissionReviewVersions: elided(list(string())).at(8).default(["v1beta1"]),
  matchPolicy: optional(string()).at(9).default("Exact"),
  objectSelector: optional(LabelSelector).at(10).default({}),
});
export type ValidatingWebhook = Static<typeof ValidatingWebhook>;

export const ValidatingWebhookConfiguration = version(Hub, {
  version: "v1beta1",
  fields: {
    webhooks: elided(list(ValidatingWebhook, { patchStrategy: "merge", patchMergeKey: "name" })).at(2),
  },
  life: {
    validate: ({ webhooks }) => validateWebhooks(webhooks, v1beta1Rules),
    validateUpdate: ({ webhooks }, old) => validateWebhooks(webhooks, rulesForUpdate(v1beta1Rules, old.webhooks)),
  },
  deprecated: {
    since: "1.16",
    removed: "1.22",
    replacement: "admissionregistration.orch.io/v1 ValidatingWebhookConfiguration",
  },
});
export type ValidatingWebhookConfiguration = Static<typeof ValidatingWebhookConfiguration>;
