/** The fields of definitions in v1beta1, which rules are written for. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { bool, elided, int32, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { reviewVersionsRule } from "../../admissionregistration/v1/list-rules.ts";
import { webhookClientConfig } from "../../admissionregistration/v1/webhook-client.ts";
import { definitionNames, definitionSubresources, pathProblems, selectableField } from "../v1/definition-parts.ts";
import { JSONSchemaPropsV1beta1 } from "../v1/json-schema.ts";

const columnTypes = ["integer", "number", "string", "boolean", "date"];
const typeText = `must be one of ${columnTypes.join(", ")}`;
const columnFormats = ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];
const strategies = ["None", "Webhook"];

const CustomResourceColumnDefinition = struct("apiextensions.v1beta1.CustomResourceColumnDefinition", {
  name: string().at(1).required().doc("The heading of the column. Required."),
  type: string()
    .at(2)
    .required(typeText)
    .oneOf(columnTypes, typeText)
    .doc("The OpenAPI type of the values: integer, number, string, boolean or date."),
  format: elided(string())
    .at(3)
    .oneOf(columnFormats, `must be one of ${columnFormats.join(", ")}`)
    .doc("An OpenAPI format for the values, such as int64, date-time or password; clients use it to print them."),
  description: elided(string()).at(4).doc("A sentence that explains the column."),
  priority: elided(int32()).at(5).doc("Columns with a priority above 0 are shown only in wide output. Default: 0."),
  JSONPath: string()
    .at(6)
    .required()
    .named(pathProblems)
    .doc("JSON path of the value in an object, such as .spec.replicas."),
});

export const ConversionClientConfig = webhookClientConfig("apiextensions.v1beta1");

export const CustomResourceConversion = struct("apiextensions.v1beta1.CustomResourceConversion", {
  strategy: string()
    .at(1)
    .required(`must be one of ${strategies.join(", ")}`)
    .oneOf(strategies)
    .doc("None changes only apiVersion; Webhook calls a service that converts. Default: None."),
  webhookClientConfig: optional(ConversionClientConfig)
    .at(2)
    .doc("Where the conversion webhook is called; required with strategy Webhook, forbidden otherwise."),
  conversionReviewVersions: elided(list(string()))
    .at(3)
    .checked(reviewVersionsRule("is there twice"))
    .doc("Versions of ConversionReview that the webhook understands, preferred first. Default: v1beta1."),
});
export type CustomResourceConversion = Static<typeof CustomResourceConversion>;

const CustomResourceValidation = struct("apiextensions.v1beta1.CustomResourceValidation", {
  openAPIV3Schema: optional(JSONSchemaPropsV1beta1)
    .at(1)
    .doc("The OpenAPI v3 schema of the objects; it must be structural in v1."),
});

export const DefinitionNames = definitionNames("v1beta1");
const subresources = definitionSubresources("v1beta1");
const selectable = selectableField("v1beta1");

export const CustomResourceDefinitionVersion = struct("apiextensions.v1beta1.CustomResourceDefinitionVersion", {
  name: string()
    .at(1)
    .named("label1035")
    .doc("The name of the version, such as v1 or v2beta1; objects are served under /apis/GROUP/NAME."),
  served: bool().at(2).doc("Whether the version is available through the API."),
  storage: bool().at(3).doc("Whether objects are stored in this version; exactly one version must have it."),
  schema: optional(CustomResourceValidation)
    .at(4)
    .doc("The schema that objects of this version are validated, pruned and defaulted with."),
  subresources: optional(subresources)
    .at(5)
    .doc("Which of the subresources status and scale objects of this version have. Absent: neither."),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition))
    .at(6)
    .doc("Columns of tables of this version, after the name. Absent: one column with the age."),
  deprecated: elided(bool()).at(7).doc("Whether requests for this version get a warning. Default: false."),
  deprecationWarning: optional(string())
    .at(8)
    .named(warningProblems)
    .doc(
      "The text of that warning; only allowed with deprecated, at most 256 characters. Absent: a default text that names the replacement.",
    ),
  selectableFields: elided(list(selectable, { topology: "atomic" }))
    .at(9)
    .since("1.30")
    .doc("Fields that field selectors of this version may name, at most 8."),
});
export type CustomResourceDefinitionVersion = Static<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = struct("apiextensions.v1beta1.CustomResourceDefinitionSpec", {
  group: string()
    .at(1)
    .required()
    .named(groupProblems)
    .immutable()
    .doc(
      "The API group of the resource, such as stable.example.com; objects are served under /apis/GROUP. Must match the part of metadata.name after the first dot.",
    ),
  version: elided(string()).at(2).named("label1035").doc("The name of the first version; use versions instead."),
  names: DefinitionNames.at(3).doc("The names of the resource and of its kind."),
  scope: string()
    .at(4)
    .default("Namespaced")
    .required("must be Cluster or Namespaced")
    .oneOf(["Cluster", "Namespaced"])
    .doc("Cluster or Namespaced; cannot be changed."),
  validation: optional(CustomResourceValidation)
    .at(5)
    .doc("The schema of all versions; use versions[*].schema if they differ."),
  subresources: optional(subresources)
    .at(6)
    .doc("The subresources of all versions; use versions[*].subresources if they differ."),
  versions: elided(list(CustomResourceDefinitionVersion))
    .at(7)
    .doc("All versions of the resource; exactly one has storage set to true."),
  additionalPrinterColumns: elided(list(CustomResourceColumnDefinition))
    .at(8)
    .doc("The table columns of all versions; use versions[*].additionalPrinterColumns if they differ."),
  conversion: optional(CustomResourceConversion)
    .at(9)
    .default({ strategy: "None" })
    .doc("How objects are converted between versions. Default: strategy None, which changes only apiVersion."),
  preserveUnknownFields: optional(bool())
    .at(10)
    .default(true)
    .doc("Whether fields that the schema does not name are kept. Default: true."),
  selectableFields: elided(list(selectable, { topology: "atomic" }))
    .at(11)
    .since("1.30")
    .doc("The selectable fields of all versions; use versions[*].selectableFields if they differ."),
});
export type CustomResourceDefinitionSpec = Static<typeof CustomResourceDefinitionSpec>;

export const deprecationWarningCharsMax = 256;

function warningProblems(text: string): readonly string[] {
  if (text === "") return ["must not be empty"];
  if (Buffer.byteLength(text) > deprecationWarningCharsMax)
    return [`must have at most ${deprecationWarningCharsMax} characters`];
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text) ? [] : ["must have printable characters only"];
}

function groupProblems(group: string): readonly string[] {
  const problems = isDns1123Subdomain(group);
  return problems.length > 0 || group.includes(".") ? problems : ["must be a domain with at least one dot"];
}
