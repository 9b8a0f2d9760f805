/** The fields of definitions in v1. Their rules are those of v1beta1, which is the hub. */

import { bool, elided, int32, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { webhookClientConfig } from "../../admissionregistration/v1/webhook-client.ts";
import { definitionNames, definitionSubresources, selectableField } from "./definition-parts.ts";
import { JSONSchemaProps } from "./json-schema.ts";

export const CustomResourceColumnDefinition = struct("apiextensions.v1.CustomResourceColumnDefinition", {
  name: string().at(1).doc("The heading of the column. Required."),
  type: string().at(2).doc("The OpenAPI type of the values: integer, number, string, boolean or date."),
  format: elided(string())
    .at(3)
    .doc("An OpenAPI format for the values, such as int64, date-time or password; clients use it to print them."),
  description: elided(string()).at(4).doc("A sentence that explains the column."),
  priority: elided(int32()).at(5).doc("Columns with a priority above 0 are shown only in wide output. Default: 0."),
  jsonPath: string().at(6).doc("JSON path of the value in an object, such as .spec.replicas."),
});
export type CustomResourceColumnDefinition = Static<typeof CustomResourceColumnDefinition>;

const WebhookConversion = struct("apiextensions.v1.WebhookConversion", {
  clientConfig: optional(webhookClientConfig("apiextensions.v1"))
    .at(2)
    .doc("Where the conversion webhook is called; required."),
  conversionReviewVersions: list(string(), { keepsEmpty: true })
    .at(3)
    .doc(
      "Versions of ConversionReview that the webhook understands, preferred first; the server uses the first one it knows.",
    ),
});

export const CustomResourceConversion = struct("apiextensions.v1.CustomResourceConversion", {
  strategy: string().at(1).doc("None changes only apiVersion; Webhook calls a service that converts. Default: None."),
  webhook: optional(WebhookConversion)
    .at(2)
    .doc("How the conversion webhook is called; required with strategy Webhook, forbidden otherwise."),
});
export type CustomResourceConversion = Static<typeof CustomResourceConversion>;

const CustomResourceValidation = struct("apiextensions.v1.CustomResourceValidation", {
  openAPIV3Schema: optional(JSONSchemaProps)
    .at(1)
    .doc("The OpenAPI v3 schema of the objects; it must be structural in v1."),
});

export const CustomResourceDefinitionVersion = struct("apiextensions.v1.CustomResourceDefinitionVersion", {
  name: string()
    .at(1)
    .doc("The name of the version, such as v1 or v2beta1; objects are served under /apis/GROUP/NAME."),
  served: bool().at(2).doc("Whether the version is available through the API."),
  storage: bool().at(3).doc("Whether objects are stored in this version; exactly one version must have it."),
  schema: optional(CustomResourceValidation)
    .at(4)
    .doc("The schema that objects of this version are validated, pruned and defaulted with."),
  subresources: optional(definitionSubresources("v1"))
    .at(5)
    .doc("Which of the subresources status and scale objects of this version have. Absent: neither."),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition))
    .at(6)
    .doc("Columns of tables of this version, after the name. Absent: one column with the age."),
  deprecated: elided(bool()).at(7).doc("Whether requests for this version get a warning. Default: false."),
  deprecationWarning: optional(string())
    .at(8)
    .doc(
      "The text of that warning; only allowed with deprecated, at most 256 characters. Absent: a default text that names the replacement.",
    ),
  selectableFields: elided(list(selectableField("v1"), { topology: "atomic" }))
    .at(9)
    .since("1.30")
    .behind("CustomResourceFieldSelectors")
    .doc("Fields that field selectors of this version may name, at most 8."),
});
export type CustomResourceDefinitionVersion = Static<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = struct("apiextensions.v1.CustomResourceDefinitionSpec", {
  group: string()
    .at(1)
    .doc(
      "The API group of the resource, such as stable.example.com; objects are served under /apis/GROUP. Must match the part of metadata.name after the first dot.",
    ),
  names: definitionNames("v1").at(3).doc("The names of the resource and of its kind."),
  scope: string().at(4).doc("Cluster or Namespaced; cannot be changed."),
  versions: list(CustomResourceDefinitionVersion, { keepsEmpty: true })
    .at(7)
    .doc("All versions of the resource; exactly one has storage set to true."),
  conversion: optional(CustomResourceConversion)
    .at(9)
    .default({ strategy: "None" })
    .doc("How objects are converted between versions. Default: strategy None, which changes only apiVersion."),
  preserveUnknownFields: elided(bool())
    .at(10)
    .doc(
      "Deprecated. Whether fields that the schema does not name are kept; must be false in v1, where the schema extension preserve-unknown-fields takes its place.",
    ),
});
export type CustomResourceDefinitionSpec = Static<typeof CustomResourceDefinitionSpec>;
