/** A CustomResourceDefinition adds a kind to the API at run time. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, bytes, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { CustomResourceDefinition as Hub } from "../v1/custom-resource-definition.ts";
import { JSONSchemaProps } from "../v1/json-schema.ts";

export const CustomResourceColumnDefinition = struct("apiextensions.v1beta1.CustomResourceColumnDefinition", {
  name: string().at(1),
  type: string().at(2),
  format: elided(string()).at(3),
  description: elided(string()).at(4),
  priority: elided(int32()).at(5),
  JSONPath: string().at(6),
});
export type CustomResourceColumnDefinition = Static<typeof CustomResourceColumnDefinition>;

export const ServiceReference = struct("apiextensions.v1beta1.ServiceReference", {
  namespace: string().at(1),
  name: string().at(2),
  path: optional(string()).at(3),
  port: optional(int32()).at(4),
});
export type ServiceReference = Static<typeof ServiceReference>;

export const WebhookClientConfig = struct("apiextensions.v1beta1.WebhookClientConfig", {
  service: optional(ServiceReference).at(1),
  caBundle: elided(bytes()).at(2),
  url: optional(string()).at(3),
});
export type WebhookClientConfig = Static<typeof WebhookClientConfig>;

export const CustomResourceConversion = struct("apiextensions.v1beta1.CustomResourceConversion", {
  strategy: string().at(1),
  webhookClientConfig: optional(WebhookClientConfig).at(2),
  conversionReviewVersions: elided(list(string())).at(3),
});
export type CustomResourceConversion = Static<typeof CustomResourceConversion>;

export const CustomResourceDefinitionCondition = struct("apiextensions.v1beta1.CustomResourceDefinitionCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type CustomResourceDefinitionCondition = Static<typeof CustomResourceDefinitionCondition>;

export const CustomResourceDefinitionNames = struct("apiextensions.v1beta1.CustomResourceDefinitionNames", {
  plural: string().at(1),
  singular: elided(string()).at(2),
  shortNames: elided(list(string())).at(3),
  kind: string().at(4),
  listKind: elided(string()).at(5),
  categories: elided(list(string())).at(6),
});
export type CustomResourceDefinitionNames = Static<typeof CustomResourceDefinitionNames>;

export const CustomResourceValidation = struct("apiextensions.v1beta1.CustomResourceValidation", {
  openAPIV3Schema: optional(JSONSchemaProps).at(1),
});
export type CustomResourceValidation = Static<typeof CustomResourceValidation>;

export const CustomResourceSubresourceStatus = struct("apiextensions.v1beta1.CustomResourceSubresourceStatus", {});
export type CustomResourceSubresourceStatus = Static<typeof CustomResourceSubresourceStatus>;

export const CustomResourceSubresourceScale = struct("apiextensions.v1beta1.CustomResourceSubresourceScale", {
  specReplicasPath: string().at(1),
  statusReplicasPath: string().at(2),
  labelSelectorPath: optional(string()).at(3),
});
export type CustomResourceSubresourceScale = Static<typeof CustomResourceSubresourceScale>;

export const CustomResourceSubresources = struct("apiextensions.v1beta1.CustomResourceSubresources", {
  status: optional(CustomResourceSubresourceStatus).at(1),
  scale: optional(CustomResourceSubresourceScale).at(2),
});
export type CustomResourceSubresources = Static<typeof CustomResourceSubresources>;

export const CustomResourceDefinitionVersion = struct("apiextensions.v1beta1.CustomResourceDefinitionVersion", {
  name: string().at(1),
  served: bool().at(2),
  storage: bool().at(3),
  schema: optional(CustomResourceValidation).at(4),
  subresources: optional(CustomResourceSubresources).at(5),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition)).at(6),
  deprecated: elided(bool()).at(7),
  deprecationWarning: optional(string()).at(8),
});
export type CustomResourceDefinitionVersion = Static<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = struct("apiextensions.v1beta1.CustomResourceDefinitionSpec", {
  group: string().at(1),
  version: elided(string()).at(2),
  names: CustomResourceDefinitionNames.at(3),
  scope: string().at(4),
  validation: optional(CustomResourceValidation).at(5),
  subresources: optional(CustomResourceSubresources).at(6),
  versions: elided(list(CustomResourceDefinitionVersion)).at(7),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition)).at(8),
  conversion: optional(CustomResourceConversion).at(9),
  preserveUnknownFields: optional(bool()).at(10),
});
export type CustomResourceDefinitionSpec = Static<typeof CustomResourceDefinitionSpec>;

export const CustomResourceDefinitionStatus = struct("apiextensions.v1beta1.CustomResourceDefinitionStatus", {
  conditions: elided(list(CustomResourceDefinitionCondition, { topology: "map", keys: ["type"] })).at(1),
  acceptedNames: elided(CustomResourceDefinitionNames).at(2),
  storedVersions: elided(list(string())).at(3),
});
export type CustomResourceDefinitionStatus = Static<typeof CustomResourceDefinitionStatus>;

export const CustomResourceDefinition = version(Hub, {
  version: "v1beta1",
  fields: {
    spec: CustomResourceDefinitionSpec.at(2),
    status: elided(CustomResourceDefinitionStatus).at(3),
  },
  subresources: [status()],
  deprecated: { since: "1.16", removed: "1.22", replacement: "apiextensions.orch.io/v1 CustomResourceDefinition" },
});
export type CustomResourceDefinition = Static<typeof CustomResourceDefinition>;
