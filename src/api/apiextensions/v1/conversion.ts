/** How custom resources are converted between versions. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";

export const ServiceReference = struct("apiextensions.v1.ServiceReference", {
  namespace: string().at(1),
  name: string().at(2),
  path: optional(string()).at(3),
  port: optional(int32()).at(4),
});
export type ServiceReference = Static<typeof ServiceReference>;

export const WebhookClientConfig = struct("apiextensions.v1.WebhookClientConfig", {
  service: optional(ServiceReference).at(1),
  caBundle: elided(bytes()).at(2),
  url: optional(string()).at(3),
});
export type WebhookClientConfig = Static<typeof WebhookClientConfig>;

export const WebhookConversion = struct("apiextensions.v1.WebhookConversion", {
  clientConfig: optional(WebhookClientConfig).at(2),
  conversionReviewVersions: list(string()).at(3),
});
export type WebhookConversion = Static<typeof WebhookConversion>;

export const CustomResourceConversion = struct("apiextensions.v1.CustomResourceConversion", {
  strategy: string().at(1),
  webhook: optional(WebhookConversion).at(2),
});
export type CustomResourceConversion = Static<typeof CustomResourceConversion>;
