/** A MutatingWebhookConfiguration names services that may change objects before they are stored. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { matchConditions } from "./match-resources.ts";
import { v1Rules, webhookChecks } from "./validate-webhook.ts";
import { webhookFields, webhookRelations } from "./webhook-client.ts";

const MutatingWebhook = struct("admissionregistration.v1.MutatingWebhook", {
  ...webhookFields,
  reinvocationPolicy: optional(string())
    .at(10)
    .default("Never")
    .oneOf(["Never", "IfNeeded"])
    // The marker was lost in 1.34.
    .from("1.34", (policy) => policy.openApiEnum("none"))
    .from("1.35", (policy) => policy.openApiEnum(["IfNeeded", "Never"]))
    .doc(
      "Never: called once for each request. IfNeeded: called again if a later plugin or webhook changed the object. Default: Never.",
    ),
  objectSelector: optional(LabelSelector)
    .at(11)
    .checked(validateLabelSelector)
    .default({})
    .doc("Sends only requests in which the labels of the old or the new object match. Default: everything."),
  matchConditions: matchConditions.at(12),
});

export const MutatingWebhookConfiguration = kind({
  group: "admissionregistration.orch.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  resource: "mutatingwebhookconfigurations",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "A MutatingWebhookConfiguration names services that may change objects before they are stored.",
  fields: {
    webhooks: elided(list(MutatingWebhook, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(2)
      .doc("Webhooks that may change objects, called one after another in this order."),
  },
  unconditionalUpdate: false,
  plainFinalizers: true,
  generation: "literal",
  relations: webhookRelations,
  ...webhookChecks(v1Rules),
  columns: (column) => [
    nameColumn,
    column("Webhooks", ({ webhooks }) => (webhooks ?? []).length, { type: "integer" }),
    ageColumn,
  ],
});
export type MutatingWebhookConfiguration = Static<typeof MutatingWebhookConfiguration>;
