/**
 * The messages in which protobuf carries an OpenAPI v2 document (openapi.v2.Document of gnostic), as far as our documents
 * need them. In these messages maps are lists of names and values, and a choice is a message with one field set.
 */

import { bool, double, list, optional, string, struct } from "../schema/build.ts";
import type { Field, StructSchema } from "../schema/schema.ts";

/** Only given fields are written: these messages have no values that are present when zero. */
const message = (name: string, fields: Record<string, Field>) => struct(`openapi.v2.${name}`, fields);
const named = (name: string, value: Field) =>
  message(`Named${name}`, { name: optional(string()).at(1), value: optional(value).at(2) });
const text = (number: number) => optional(string()).at(number);
const texts = (number: number) => optional(list(string())).at(number);

const AnyValue = message("Any", { yaml: text(2) });
const extensions = (number: number) => optional(list(named("Any", AnyValue))).at(number);

const Schema: Field = struct("openapi.v2.Schema", () => ({
  $ref: text(1),
  format: text(2),
  description: text(4),
  default: optional(AnyValue).at(5),
  maximum: optional(double()).at(7),
  minimum: optional(double()).at(9),
  required: texts(19),
  enum: optional(list(AnyValue)).at(20),
  additionalProperties: optional(
    message("AdditionalPropertiesItem", { schema: optional(Schema).at(1), boolean: optional(bool()).at(2) }),
  ).at(21),
  type: optional(message("TypeItem", { value: texts(1) })).at(22),
  items: optional(message("ItemsItem", { schema: optional(list(Schema)).at(1) })).at(23),
  properties: optional(message("Properties", { entries: optional(list(named("Schema", Schema))).at(1) })).at(25),
  vendorExtension: extensions(31),
}));

const BodyParameter = message("BodyParameter", {
  description: text(1),
  name: text(2),
  in: text(3),
  required: optional(bool()).at(4),
  schema: optional(Schema).at(5),
});

const QueryParameter = message("QueryParameterSubSchema", {
  required: optional(bool()).at(1),
  in: text(2),
  description: text(3),
  name: text(4),
  type: text(6),
  format: text(7),
  uniqueItems: optional(bool()).at(20),
});

const PathParameter = message("PathParameterSubSchema", {
  required: optional(bool()).at(1),
  in: text(2),
  description: text(3),
  name: text(4),
  type: text(5),
  format: text(6),
  uniqueItems: optional(bool()).at(19),
});

const NonBodyParameter = message("NonBodyParameter", {
  query: optional(QueryParameter).at(3),
  path: optional(PathParameter).at(4),
});
const ParameterChoice = message("Parameter", {
  body: optional(BodyParameter).at(1),
  nonBody: optional(NonBodyParameter).at(2),
});
const ParametersItem = message("ParametersItem", { parameter: optional(ParameterChoice).at(1) });

const ResponseMessage = message("Response", {
  description: text(1),
  schema: optional(message("SchemaItem", { schema: optional(Schema).at(1) })).at(2),
});
const ResponseValue = message("ResponseValue", { response: optional(ResponseMessage).at(1) });
const Responses = message("Responses", { entries: optional(list(named("ResponseValue", ResponseValue))).at(1) });

const OperationMessage = message("Operation", {
  tags: texts(1),
  description: text(3),
  operationId: text(5),
  produces: texts(6),
  consumes: texts(7),
  parameters: optional(list(ParametersItem)).at(8),
  responses: optional(Responses).at(9),
  schemes: texts(10),
  deprecated: optional(bool()).at(11),
  vendorExtension: extensions(13),
});

const PathItemMessage = message("PathItem", {
  get: optional(OperationMessage).at(2),
  put: optional(OperationMessage).at(3),
  post: optional(OperationMessage).at(4),
  delete: optional(OperationMessage).at(5),
  patch: optional(OperationMessage).at(8),
  parameters: optional(list(ParametersItem)).at(9),
});

const ApiKeySecurity = message("ApiKeySecurity", { type: text(1), name: text(2), in: text(3), description: text(4) });
const SecurityDefinition = message("SecurityDefinitionsItem", { apiKey: optional(ApiKeySecurity).at(2) });
const SecurityRequirement = message("SecurityRequirement", {
  entries: optional(list(named("StringArray", message("StringArray", { value: texts(1) })))).at(1),
});

export const documentMessage = message("Document", {
  swagger: text(1),
  info: optional(message("Info", { title: text(1), version: text(2) })).at(2),
  paths: optional(message("Paths", { entries: optional(list(named("PathItem", PathItemMessage))).at(2) })).at(8),
  definitions: optional(message("Definitions", { entries: optional(list(named("Schema", Schema))).at(1) })).at(9),
  security: optional(list(SecurityRequirement)).at(12),
  securityDefinitions: optional(
    message("SecurityDefinitions", {
      entries: optional(list(named("SecurityDefinitionsItem", SecurityDefinition))).at(1),
    }),
  ).at(13),
  // struct() makes struct schemas.
}).schema as StructSchema;
