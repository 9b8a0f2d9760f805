/**
 * A CustomResourceDefinition adds a kind to the API at run time. This version can say everything that v1 can, and also
 * what all versions of the kind have in common at the top; so life is declared here.
 */

import { coerceDefaults } from "../../../machinery/json-schema/defaults.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { copyJson } from "../../../machinery/schema/json-value.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import {
  definitionNames,
  definitionStatus,
  definitionSubresources,
  webhookClientConfig,
} from "../v1/definition-parts.ts";
import { JSONSchemaPropsV1beta1 } from "../v1/json-schema.ts";
import { defaultNames, defaultStoredVersions, noteStoredVersion } from "./definition-defaults.ts";
import { beginDefinitionDeletion } from "./definition-deletion.ts";
import { hasDefaults, schemasOf } from "./definition-rules.ts";
import { definitionChecks, validateDefinitionStatus } from "./validate-definition.ts";

export const CustomResourceColumnDefinition = struct("apiextensions.v1beta1.CustomResourceColumnDefinition", {
  name: string().at(1),
  type: string().at(2),
  format: elided(string()).at(3),
  description: elided(string()).at(4),
  priority: elided(int32()).at(5).doc("Above 0: shown only by wide output."),
  JSONPath: string().at(6).doc("Where in an object the cell is."),
});
export type CustomResourceColumnDefinition = Static<typeof CustomResourceColumnDefinition>;

export const CustomResourceConversion = struct("apiextensions.v1beta1.CustomResourceConversion", {
  strategy: string().at(1).doc("None: versions differ in name only. Webhook: a service converts."),
  webhookClientConfig: optional(webhookClientConfig("v1beta1")).at(2),
  conversionReviewVersions: elided(list(string())).at(3),
});
export type CustomResourceConversion = Static<typeof CustomResourceConversion>;

export const CustomResourceValidation = struct("apiextensions.v1beta1.CustomResourceValidation", {
  openAPIV3Schema: optional(JSONSchemaPropsV1beta1).at(1),
});
export type CustomResourceValidation = Static<typeof CustomResourceValidation>;

const subresources = definitionSubresources("v1beta1");

export const CustomResourceDefinitionVersion = struct("apiextensions.v1beta1.CustomResourceDefinitionVersion", {
  name: string().at(1),
  served: bool().at(2),
  storage: bool().at(3).doc("Whether objects are stored in this version; one of them has it."),
  schema: optional(CustomResourceValidation).at(4),
  subresources: optional(subresources).at(5),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition)).at(6),
  deprecated: elided(bool()).at(7),
  deprecationWarning: optional(string()).at(8),
});
export type CustomResourceDefinitionVersion = Static<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = struct("apiextensions.v1beta1.CustomResourceDefinitionSpec", {
  group: string().at(1),
  version: elided(string()).at(2).doc("The name of the first version."),
  names: definitionNames("v1beta1").at(3),
  scope: string().at(4).default("Namespaced").doc("Cluster or Namespaced."),
  validation: optional(CustomResourceValidation).at(5).doc("The schema of all versions."),
  subresources: optional(subresources).at(6).doc("The subresources of all versions."),
  versions: elided(list(CustomResourceDefinitionVersion)).at(7),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition)).at(8).doc("The columns of all versions."),
  conversion: optional(CustomResourceConversion).at(9).default({ strategy: "None" }),
  preserveUnknownFields: optional(bool()).at(10).default(true).doc("Whether members that no schema declares are kept."),
});
export type CustomResourceDefinitionSpec = Static<typeof CustomResourceDefinitionSpec>;

export const CustomResourceDefinition = kind({
  group: "apiextensions.orch.io",
  version: "v1beta1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  doc: "A CustomResourceDefinition adds a kind to the API at run time.",
  stored: "apiextensions.orch.io/v1",
  deprecated: { since: "1.16", removed: "1.22", replacement: "apiextensions.orch.io/v1 CustomResourceDefinition" },
  fields: {
    spec: CustomResourceDefinitionSpec.at(2),
    status: elided(definitionStatus("v1beta1")).at(3),
  },
  defaults(definition) {
    const { spec } = definition;
    if ((spec.versions ?? []).length === 0 && spec.version)
      spec.versions = [{ name: spec.version, served: true, storage: true }];
    const first = spec.versions?.[0]?.name;
    if (!spec.version && first) spec.version = first;
    if (spec.conversion?.strategy === "Webhook" && (spec.conversion.conversionReviewVersions ?? []).length === 0)
      spec.conversion.conversionReviewVersions = ["v1beta1"];
    defaultNames(spec.names);
    defaultStoredVersions(definition);
  },
  generation: true,
  unconditionalUpdate: false,
  plainFinalizers: true,
  prepareForCreate: noteStoredVersion,
  prepareForUpdate: noteStoredVersion,
  ...definitionChecks({ isV1: false }),
  beginDeletion: beginDefinitionDeletion,
  complete(definition, { vocabulary }) {
    if (!hasDefaults(definition.spec)) return;
    definition.spec = copyJson(definition.spec);
    for (const schema of schemasOf(definition.spec)) coerceDefaults(schema, vocabulary.extensionPrefix);
  },
  subresources: [status({ resets: ["metadata"], validate: validateDefinitionStatus })],
});
export type CustomResourceDefinition = Static<typeof CustomResourceDefinition>;
