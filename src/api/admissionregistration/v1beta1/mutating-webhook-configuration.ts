/** A MutatingWebhookConfiguration names services that may change objects before they are stored. */

import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { MutatingWebhookConfiguration as Hub } from "../v1/mutating-webhook-configuration.ts";
import { v1beta1Rules, webhookChecks } from "../v1/validate-webhook.ts";
import { webhookFields } from "./webhook-client.ts";

const MutatingWebhook = struct("admissionregistration.v1beta1.MutatingWebhook", {
  ...webhookFields,
  reinvocationPolicy: optional(string())
    .at(10)
    .default("Never")
    .doc(
      "Never: called once for each request. IfNeeded: called again if a later plugin or webhook changed the object. Default: Never.",
    ),
  objectSelector: optional(LabelSelector)
    .at(11)
    .default({})
    .doc("Sends only requests in which the labels of the old or the new object match. Default: everything."),
});

export const MutatingWebhookConfiguration = version(Hub, {
  version: "v1beta1",
  fields: {
    webhooks: elided(list(MutatingWebhook, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(2)
      .doc("Webhooks that may change objects, called one after another in this order."),
  },
  strategy: webhookChecks(v1beta1Rules),
  deprecated: {
    since: "1.16",
    removed: "1.22",
    replacement: "admissionregistration.orch.io/v1 MutatingWebhookConfiguration",
  },
});
export type MutatingWebhookConfiguration = Static<typeof MutatingWebhookConfiguration>;
