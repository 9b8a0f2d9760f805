/**
 * The messages in which protobuf carries an OpenAPI v3 document (openapi.v3.Document of gnostic), as far as our documents
 * need them. In these messages maps are lists of names and values, and a choice is a message with one field set.
 */

import { bool, double, int64, list, optional, string, struct } from "../schema/build.ts";
import type { Field, StructSchema } from "../schema/schema.ts";

/** Only given fields are written: these messages have no values that are present when zero. */
const message = (name: string, fields: Record<string, Field>) => struct(`openapi.v3.${name}`, fields);
const named = (name: string, value: Field) =>
  message(`Named${name}`, { name: optional(string()).at(1), value: optional(value).at(2) });
const text = (number: number) => optional(string()).at(number);
const texts = (number: number) => optional(list(string())).at(number);
const flag = (number: number) => optional(bool()).at(number);
const integer = (number: number) => optional(int64()).at(number);

const AnyValue = message("Any", { yaml: text(2) });
const extensions = (number: number) => optional(list(named("Any", AnyValue))).at(number);
const Reference = message("Reference", { $ref: text(1) });

const SchemaChoice: Field = struct("openapi.v3.SchemaOrReference", () => ({
  schema: optional(Schema).at(1),
  reference: optional(Reference).at(2),
}));
const schemas = (number: number) => optional(list(SchemaChoice)).at(number);
const NamedSchemas = message("Properties", { entries: optional(list(named("SchemaOrReference", SchemaChoice))).at(1) });

const Schema: Field = struct("openapi.v3.Schema", () => ({
  nullable: flag(1),
  title: text(9),
  multipleOf: optional(double()).at(10),
  maximum: optional(double()).at(11),
  exclusiveMaximum: flag(12),
  minimum: optional(double()).at(13),
  exclusiveMinimum: flag(14),
  maxLength: integer(15),
  minLength: integer(16),
  pattern: text(17),
  maxItems: integer(18),
  minItems: integer(19),
  uniqueItems: flag(20),
  maxProperties: integer(21),
  minProperties: integer(22),
  required: texts(23),
  enum: optional(list(AnyValue)).at(24),
  type: text(25),
  allOf: schemas(26),
  oneOf: schemas(27),
  anyOf: schemas(28),
  not: optional(Schema).at(29),
  items: optional(message("ItemsItem", { schema: schemas(1) })).at(30),
  properties: optional(NamedSchemas).at(31),
  additionalProperties: optional(
    message("AdditionalPropertiesItem", { schema: optional(SchemaChoice).at(1), boolean: flag(2) }),
  ).at(32),
  default: optional(message("DefaultType", { number: optional(double()).at(1), boolean: flag(2), string: text(3) })).at(
    33,
  ),
  description: text(34),
  format: text(35),
  extension: extensions(36),
}));

const MediaTypes = message("MediaTypes", {
  entries: optional(list(named("MediaType", message("MediaType", { schema: optional(SchemaChoice).at(1) })))).at(1),
});

const Parameter = message("Parameter", {
  name: text(1),
  in: text(2),
  description: text(3),
  required: flag(4),
  schema: optional(SchemaChoice).at(10),
});
const parameters = (number: number) =>
  optional(list(message("ParameterOrReference", { parameter: optional(Parameter).at(1) }))).at(number);

const RequestBody = message("RequestBody", { content: optional(MediaTypes).at(2), required: flag(3) });
const Response = message("Response", { description: text(1), content: optional(MediaTypes).at(3) });
const ResponseChoice = message("ResponseOrReference", { response: optional(Response).at(1) });

const Operation = message("Operation", {
  tags: texts(1),
  description: text(3),
  operationId: text(5),
  parameters: parameters(6),
  requestBody: optional(message("RequestBodyOrReference", { body: optional(RequestBody).at(1) })).at(7),
  responses: optional(
    message("Responses", { entries: optional(list(named("ResponseOrReference", ResponseChoice))).at(2) }),
  ).at(8),
  deprecated: flag(10),
  extension: extensions(13),
});

const PathItem = message("PathItem", {
  get: optional(Operation).at(4),
  put: optional(Operation).at(5),
  post: optional(Operation).at(6),
  delete: optional(Operation).at(7),
  patch: optional(Operation).at(10),
  parameters: parameters(13),
});

const SecurityScheme = message("SecurityScheme", { type: text(1), description: text(2), name: text(3), in: text(4) });
const SecurityChoice = message("SecuritySchemeOrReference", { scheme: optional(SecurityScheme).at(1) });

export const documentMessage = message("Document", {
  openapi: text(1),
  info: optional(message("Info", { title: text(1), version: text(6) })).at(2),
  paths: optional(message("Paths", { entries: optional(list(named("PathItem", PathItem))).at(1) })).at(4),
  components: optional(
    message("Components", {
      schemas: optional(NamedSchemas).at(1),
      securitySchemes: optional(
        message("SecuritySchemesOrReferences", {
          entries: optional(list(named("SecuritySchemeOrReference", SecurityChoice))).at(1),
        }),
      ).at(7),
    }),
  ).at(5),
  // struct() makes struct schemas.
}).schema as StructSchema;
