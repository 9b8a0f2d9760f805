/** JSON schema as custom resource definitions write it. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  bool,
  double,
  elided,
  int64,
  json,
  list,
  map,
  optional,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import type { Field } from "../../../machinery/schema/schema.ts";

export const ExternalDocumentation = struct("apiextensions.v1.ExternalDocumentation", {
  description: elided(string()).at(1),
  url: elided(string()).at(2),
});
export type ExternalDocumentation = Static<typeof ExternalDocumentation>;

/** A schema contains schemas, so its type cannot be inferred from itself. */
export interface JSONSchemaProps {
  [keyword: string]: unknown;
}

export const JSONSchemaProps: Field<JSONSchemaProps, "required"> = struct("apiextensions.v1.JSONSchemaProps", () => ({
  id: elided(string()).at(1),
  $schema: elided(string()).at(2),
  $ref: optional(string()).at(3),
  description: elided(string()).at(4),
  type: elided(string()).at(5),
  format: elided(string()).at(6),
  title: elided(string()).at(7),
  default: optional(json("value")).at(8),
  maximum: optional(double()).at(9),
  exclusiveMaximum: elided(bool()).at(10),
  minimum: optional(double()).at(11),
  exclusiveMinimum: elided(bool()).at(12),
  maxLength: optional(int64()).at(13),
  minLength: optional(int64()).at(14),
  pattern: elided(string()).at(15),
  maxItems: optional(int64()).at(16),
  minItems: optional(int64()).at(17),
  uniqueItems: elided(bool()).at(18),
  multipleOf: optional(double()).at(19),
  enum: elided(list(json("value"))).at(20),
  maxProperties: optional(int64()).at(21),
  minProperties: optional(int64()).at(22),
  required: elided(list(string())).at(23),
  items: optional(json("value")).at(24),
  allOf: elided(list(JSONSchemaProps)).at(25),
  oneOf: elided(list(JSONSchemaProps)).at(26),
  anyOf: elided(list(JSONSchemaProps)).at(27),
  not: optional(JSONSchemaProps).at(28),
  properties: elided(map(JSONSchemaProps)).at(29),
  additionalProperties: optional(json("value")).at(30),
  patternProperties: elided(map(JSONSchemaProps)).at(31),
  dependencies: elided(map(json("value"))).at(32),
  additionalItems: optional(json("value")).at(33),
  definitions: elided(map(JSONSchemaProps)).at(34),
  externalDocs: optional(ExternalDocumentation).at(35),
  example: optional(json("value")).at(36),
  nullable: elided(bool()).at(37),
  "x-orch-preserve-unknown-fields": optional(bool()).at(38),
  "x-orch-embedded-resource": elided(bool()).at(39),
  "x-orch-int-or-string": elided(bool()).at(40),
  "x-orch-list-map-keys": elided(list(string())).at(41),
  "x-orch-list-type": optional(string()).at(42),
  "x-orch-map-type": optional(string()).at(43),
}));
