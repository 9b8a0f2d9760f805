// How do I write a webhook with types, and test it without a certificate?
import { ConfigMap, forbiddenError, type WebhookHandlers } from "orch/client";

/** Prices have an owner, and only the owner deletes them. */
export const guard: Pick<WebhookHandlers<ConfigMap>, "mutate" | "validate"> = {
  mutate({ object, user, operation }) {
    if (operation === "CREATE") object.metadata.labels = { ...object.metadata.labels, owner: user.name };
  },
  validate(call) {
    if (call.operation !== "DELETE") return;
    if (call.old.metadata.labels?.["owner"] !== call.user.name)
      throw forbiddenError(ConfigMap, call.name, "only its owner may delete it");
  },
};
