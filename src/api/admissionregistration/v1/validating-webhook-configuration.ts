/** A ValidatingWebhookConfiguration names services that may refuse objects before they are stored. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { elided, list, optional, type Static, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { matchConditions } from "./match-resources.ts";
import { v1Rules, webhookChecks } from "./validate-webhook.ts";
import { webhookFields, webhookRelations } from "./webhook-client.ts";

const ValidatingWebhook = struct("admissionregistration.v1.ValidatingWebhook", {
  ...webhookFields,
  objectSelector: optional(LabelSelector)
    .at(10)
    .checked(validateLabelSelector)
    .default({})
    .doc("Sends only requests in which the labels of the old or the new object match. Default: everything."),
  matchConditions: matchConditions.at(11),
});

export const ValidatingWebhookConfiguration = kind({
  group: "admissionregistration.orch.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  resource: "validatingwebhookconfigurations",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "A ValidatingWebhookConfiguration names services that may refuse objects before they are stored.",
  fields: {
    webhooks: elided(list(ValidatingWebhook, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(2)
      .doc("Webhooks that may refuse requests, called in parallel."),
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
export type ValidatingWebhookConfiguration = Static<typeof ValidatingWebhookConfiguration>;
