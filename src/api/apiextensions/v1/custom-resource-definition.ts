/** CustomResourceDefinition in v1: each version of the kind says everything about itself. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { CustomResourceDefinition as Hub } from "../v1beta1/custom-resource-definition.ts";
import { defaultNames, defaultStoredVersions } from "../v1beta1/definition-defaults.ts";
import { definitionChecks, validateDefinitionStatus } from "../v1beta1/validate-definition.ts";
import { specFromHub, specToHub } from "./convert-definition.ts";
import { definitionNames, definitionStatus, definitionSubresources, webhookClientConfig } from "./definition-parts.ts";
import { JSONSchemaProps } from "./json-schema.ts";

export const CustomResourceColumnDefinition = struct("apiextensions.v1.CustomResourceColumnDefinition", {
  name: string().at(1),
  type: string().at(2),
  format: elided(string()).at(3),
  description: elided(string()).at(4),
  priority: elided(int32()).at(5).doc("Above 0: shown only by wide output."),
  jsonPath: string().at(6).doc("Where in an object the cell is."),
});
export type CustomResourceColumnDefinition = Static<typeof CustomResourceColumnDefinition>;

export const WebhookConversion = struct("apiextensions.v1.WebhookConversion", {
  clientConfig: optional(webhookClientConfig("v1")).at(2),
  conversionReviewVersions: list(string(), { keepsEmpty: true }).at(3),
});
export type WebhookConversion = Static<typeof WebhookConversion>;

export const CustomResourceConversion = struct("apiextensions.v1.CustomResourceConversion", {
  strategy: string().at(1).doc("None: versions differ in name only. Webhook: a service converts."),
  webhook: optional(WebhookConversion).at(2),
});
export type CustomResourceConversion = Static<typeof CustomResourceConversion>;

export const CustomResourceValidation = struct("apiextensions.v1.CustomResourceValidation", {
  openAPIV3Schema: optional(JSONSchemaProps).at(1),
});
export type CustomResourceValidation = Static<typeof CustomResourceValidation>;

export const CustomResourceDefinitionVersion = struct("apiextensions.v1.CustomResourceDefinitionVersion", {
  name: string().at(1),
  served: bool().at(2),
  storage: bool().at(3).doc("Whether objects are stored in this version; one of them has it."),
  schema: optional(CustomResourceValidation).at(4),
  subresources: optional(definitionSubresources("v1")).at(5),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition)).at(6),
  deprecated: elided(bool()).at(7),
  deprecationWarning: optional(string()).at(8),
});
export type CustomResourceDefinitionVersion = Static<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = struct("apiextensions.v1.CustomResourceDefinitionSpec", {
  group: string().at(1),
  names: definitionNames("v1").at(3),
  scope: string().at(4).doc("Cluster or Namespaced."),
  versions: list(CustomResourceDefinitionVersion, { keepsEmpty: true }).at(7),
  conversion: optional(CustomResourceConversion).at(9).default({ strategy: "None" }),
  preserveUnknownFields: elided(bool()).at(10),
});
export type CustomResourceDefinitionSpec = Static<typeof CustomResourceDefinitionSpec>;

export const CustomResourceDefinition = version(Hub, {
  version: "v1",
  fields: {
    spec: CustomResourceDefinitionSpec.at(2),
    status: elided(definitionStatus("v1")).at(3),
  },
  defaults(definition) {
    defaultNames(definition.spec.names);
    defaultStoredVersions(definition);
  },
  life: definitionChecks({ isV1: true }),
  toHub: ({ spec, ...rest }) => ({ ...rest, spec: specToHub(spec) }),
  fromHub: ({ spec, ...rest }) => ({ ...rest, spec: specFromHub(spec) }),
  subresources: [status({ resets: ["metadata"], validate: validateDefinitionStatus })],
});
export type CustomResourceDefinition = Static<typeof CustomResourceDefinition>;
