/** JSON schema as custom resource definitions write it. */

import type { JsonSchema } from "../../../machinery/json-schema/json-schema.ts";
import {
  bool,
  choice,
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

/** Extensions stand under the vocabulary's prefix, so their names are not known here. */
export type JSONSchemaProps = JsonSchema & Record<string, unknown>;

/** Both versions of definitions have schemas of the same shape under names of their own. */
function jsonSchemaProps(version: "v1" | "v1beta1"): Field<JSONSchemaProps, "required"> {
  const documentation = struct(`apiextensions.${version}.ExternalDocumentation`, {
    description: elided(string()).at(1),
    url: elided(string()).at(2),
  });
  // A schema contains schemas, so its type is written down and not inferred from itself.
  const schema: Field<JSONSchemaProps, "required"> = struct(`apiextensions.${version}.JSONSchemaProps`, () => ({
    id: elided(string()).at(1),
    $schema: elided(string()).at(2),
    $ref: optional(string()).at(3),
    description: elided(string()).at(4),
    type: elided(string()).at(5),
    format: elided(string()).at(6),
    title: elided(string()).at(7),
    default: optional(json("value")).at(8).doc("What the value becomes where it is left out."),
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
    items: optional(choice("orList", schema)).at(24),
    allOf: elided(list(schema)).at(25),
    oneOf: elided(list(schema)).at(26),
    anyOf: elided(list(schema)).at(27),
    not: optional(schema).at(28),
    properties: elided(map(schema)).at(29),
    additionalProperties: optional(choice("orBool", schema)).at(30),
    patternProperties: elided(map(schema)).at(31),
    dependencies: elided(map(choice("orTexts", schema))).at(32),
    additionalItems: optional(choice("orBool", schema)).at(33),
    definitions: elided(map(schema)).at(34),
    externalDocs: optional(documentation).at(35),
    example: optional(json("value")).at(36),
    nullable: elided(bool()).at(37),
    "x-orch-preserve-unknown-fields": optional(bool()).at(38).doc("Whether members that are not declared are kept."),
    "x-orch-embedded-resource": elided(bool()).at(39).doc("Whether the value is an object of some kind itself."),
    "x-orch-int-or-string": elided(bool()).at(40).doc("Whether the value is a whole number or a text."),
    "x-orch-list-map-keys": elided(list(string())).at(41).doc("By which members items of a list are told apart."),
    "x-orch-list-type": optional(string()).at(42).doc("How a list is merged: atomic, set or map."),
    "x-orch-map-type": optional(string()).at(43).doc("How an object is merged: granular or atomic."),
  })) as unknown as Field<JSONSchemaProps, "required">;
  return schema;
}

export const JSONSchemaProps = jsonSchemaProps("v1");
export const JSONSchemaPropsV1beta1 = jsonSchemaProps("v1beta1");
