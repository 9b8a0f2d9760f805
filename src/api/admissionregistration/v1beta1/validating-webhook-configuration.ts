/** A ValidatingWebhookConfiguration names services that may refuse objects before they are stored. */

import { elided, list, optional, type Static, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { v1beta1Rules, webhookChecks } from "../v1/validate-webhook.ts";
import { ValidatingWebhookConfiguration as Hub } from "../v1/validating-webhook-configuration.ts";
import { webhookFields } from "./webhook-client.ts";

const ValidatingWebhook = struct("admissionregistration.v1beta1.ValidatingWebhook", {
  ...webhookFields,
  objectSelector: optional(LabelSelector)
    .at(10)
    .default({})
    .doc("Sends only requests in which the labels of the old or the new object match. Default: everything."),
});

export const ValidatingWebhookConfiguration = version(Hub, {
  version: "v1beta1",
  fields: {
    webhooks: elided(list(ValidatingWebhook, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(2)
      .doc("Webhooks that may refuse requests, called in parallel."),
  },
  strategy: webhookChecks(v1beta1Rules),
  deprecated: {
    since: "1.16",
    removed: "1.22",
    replacement: "admissionregistration.orch.io/v1 ValidatingWebhookConfiguration",
  },
});
export type ValidatingWebhookConfiguration = Static<typeof ValidatingWebhookConfiguration>;
