/** How a webhook is called and what it is called for. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, int32, list, nullable, optional, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const RuleWithOperations = struct(
  "admissionregistration.v1.RuleWithOperations",
  {
    operations: elided(list(string())).at(1),
    apiGroups: elided(list(string())).at(1, "rule"),
    apiVersions: elided(list(string())).at(2, "rule"),
    resources: elided(list(string())).at(3, "rule"),
    scope: optional(string()).at(4, "rule").default("*"),
  },
  { inline: { rule: 2 } },
);
export type RuleWithOperations = Static<typeof RuleWithOperations>;

export const ServiceReference = struct("admissionregistration.v1.ServiceReference", {
  namespace: string().at(1),
  name: string().at(2),
  path: optional(string()).at(3),
  port: optional(int32()).at(4).default(443),
});
export type ServiceReference = Static<typeof ServiceReference>;

export const WebhookClientConfig = struct("admissionregistration.v1.WebhookClientConfig", {
  service: optional(ServiceReference).at(1),
  caBundle: elided(bytes()).at(2),
  url: optional(string()).at(3),
});
export type WebhookClientConfig = Static<typeof WebhookClientConfig>;

/** The fields that every webhook has, whether it changes or judges. */
export const webhookFields = {
  name: string().at(1),
  clientConfig: WebhookClientConfig.at(2),
  rules: elided(list(RuleWithOperations)).at(3),
  failurePolicy: optional(string()).at(4).default("Fail"),
  namespaceSelector: optional(LabelSelector).at(5).default({}),
  sideEffects: nullable(string()).listed(true).at(6),
  timeoutSeconds: optional(int32()).at(7).default(10),
  admissionReviewVersions: list(string()).at(8),
  matchPolicy: optional(string()).at(9).default("Equivalent"),
};
