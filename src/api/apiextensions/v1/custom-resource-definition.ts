/** A CustomResourceDefinition adds a kind to the API at run time. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { CustomResourceConversion } from "./conversion.ts";
import { JSONSchemaProps } from "./json-schema.ts";

export const CustomResourceColumnDefinition = struct("apiextensions.v1.CustomResourceColumnDefinition", {
  name: string().at(1),
  type: string().at(2),
  format: elided(string()).at(3),
  description: elided(string()).at(4),
  priority: elided(int32()).at(5),
  jsonPath: string().at(6),
});
export type CustomResourceColumnDefinition = Static<typeof CustomResourceColumnDefinition>;

export const CustomResourceDefinitionCondition = struct("apiextensions.v1.CustomResourceDefinitionCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type CustomResourceDefinitionCondition = Static<typeof CustomResourceDefinitionCondition>;

export const CustomResourceDefinitionNames = struct("apiextensions.v1.CustomResourceDefinitionNames", {
  plural: string().at(1),
  singular: elided(string()).at(2),
  shortNames: elided(list(string())).at(3),
  kind: string().at(4),
  listKind: elided(string()).at(5),
  categories: elided(list(string())).at(6),
});
export type CustomResourceDefinitionNames = Static<typeof CustomResourceDefinitionNames>;

export const CustomResourceValidation = struct("apiextensions.v1.CustomResourceValidation", {
  openAPIV3Schema: optional(JSONSchemaProps).at(1),
});
export type CustomResourceValidation = Static<typeof CustomResourceValidation>;

export const CustomResourceSubresourceStatus = struct("apiextensions.v1.CustomResourceSubresourceStatus", {});
export type CustomResourceSubresourceStatus = Static<typeof CustomResourceSubresourceStatus>;

export const CustomResourceSubresourceScale = struct("apiextensions.v1.CustomResourceSubresourceScale", {
  specReplicasPath: string().at(1),
  statusReplicasPath: string().at(2),
  labelSelectorPath: optional(string()).at(3),
});
export type CustomResourceSubresourceScale = Static<typeof CustomResourceSubresourceScale>;

export const CustomResourceSubresources = struct("apiextensions.v1.CustomResourceSubresources", {
  status: optional(CustomResourceSubresourceStatus).at(1),
  scale: optional(CustomResourceSubresourceScale).at(2),
});
export type CustomResourceSubresources = Static<typeof CustomResourceSubresources>;

export const CustomResourceDefinitionVersion = struct("apiextensions.v1.CustomResourceDefinitionVersion", {
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

export const CustomResourceDefinitionSpec = struct("apiextensions.v1.CustomResourceDefinitionSpec", {
  group: string().at(1),
  names: CustomResourceDefinitionNames.at(3),
  scope: string().at(4),
  versions: list(CustomResourceDefinitionVersion).at(7),
  conversion: optional(CustomResourceConversion).at(9),
  preserveUnknownFields: elided(bool()).at(10),
});
export type CustomResourceDefinitionSpec = Static<typeof CustomResourceDefinitionSpec>;

export const CustomResourceDefinitionStatus = struct("apiextensions.v1.CustomResourceDefinitionStatus", {
  conditions: elided(list(CustomResourceDefinitionCondition, { topology: "map", keys: ["type"] })).at(1),
  acceptedNames: elided(CustomResourceDefinitionNames).at(2),
  storedVersions: elided(list(string())).at(3),
});
export type CustomResourceDefinitionStatus = Static<typeof CustomResourceDefinitionStatus>;

export const CustomResourceDefinition = kind({
  group: "apiextensions.orch.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  doc: "A CustomResourceDefinition adds a kind to the API at run time.",
  fields: {
    spec: CustomResourceDefinitionSpec.at(2),
    status: elided(CustomResourceDefinitionStatus).at(3),
  },
  subresources: [status()],
});
export type CustomResourceDefinition = Static<typeof CustomResourceDefinition>;
