/** JSON schema as custom resource definitions write it. */

import type { JsonSchema } from "../../../machinery/json/json-schema.ts";
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

/** Extensions have the vocabulary's prefix, so their names are not known here. */
export type JSONSchemaProps = JsonSchema & Record<string, unknown>;

/** Both versions of definitions have schemas of the same shape under different type names. */
function jsonSchemaProps(version: "v1" | "v1beta1"): Field<JSONSchemaProps, "required"> {
  const documentation = struct(`apiextensions.${version}.ExternalDocumentation`, {
    description: elided(string()).at(1).doc("A sentence about the documentation."),
    url: elided(string()).at(2).doc("The URL of the documentation."),
  });
  const rule = struct(`apiextensions.${version}.ValidationRule`, {
    rule: string().at(1).doc("An expression that must be true, such as `self.min <= self.max`."),
    message: elided(string()).at(2).doc("What a refusal says. Default: the rule."),
    messageExpression: elided(string())
      .at(3)
      .since("1.27")
      .doc("An expression that makes the message; `message` is used where it fails."),
    reason: optional(string())
      .at(4)
      .openApiEnum(["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"])
      .since("1.28")
      .doc(
        "The reason of a refusal: FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate. Default: FieldValueInvalid.",
      ),
    fieldPath: elided(string())
      .at(5)
      .since("1.28")
      .doc("The field that a refusal names, below the value: `.spec.max`."),
    optionalOldSelf: optional(bool())
      .at(6)
      .since("1.29")
      .behind("CRDValidationRatcheting")
      .doc("Whether `oldSelf` is optional, so that the rule applies to new values too."),
  });
  const named = version === "v1" ? undefined : version;
  const value = () => json("value", named && { version: named });
  // A schema contains schemas, so its type is declared and not inferred.
  const fields = () => ({
    id: elided(string()).at(1).doc("An identifier of the schema; not used."),
    $schema: elided(string()).at(2).doc("The URI of the schema language; not used."),
    $ref: optional(string()).at(3).doc("A reference to another schema; not allowed in a definition."),
    description: elided(string()).at(4).doc("What the value means; shown by explain."),
    type: elided(string()).at(5).doc("The type of the value: object, array, string, integer, number or boolean."),
    format: elided(string())
      .at(6)
      .doc(
        "A format that texts or numbers must have, such as date-time, byte, int32 or uuid; unknown formats are ignored.",
      ),
    title: elided(string()).at(7).doc("A short title of the schema, for documentation."),
    default: optional(value()).at(8).doc("The value that is set if the field is missing."),
    maximum: optional(double())
      .at(9)
      .doc("The largest allowed number. With exclusiveMaximum, numbers must be smaller."),
    exclusiveMaximum: elided(bool()).at(10).doc("Whether the value must be lower than maximum, not just equal to it."),
    minimum: optional(double())
      .at(11)
      .doc("The smallest allowed number. With exclusiveMinimum, numbers must be larger."),
    exclusiveMinimum: elided(bool()).at(12).doc("Whether the value must be higher than minimum, not just equal to it."),
    maxLength: optional(int64()).at(13).doc("The largest number of characters a text may have."),
    minLength: optional(int64()).at(14).doc("The smallest number of characters a text may have."),
    pattern: elided(string()).at(15).doc("A regular expression (RE2 syntax) that texts must match."),
    maxItems: optional(int64()).at(16).doc("The largest number of items a list may have."),
    minItems: optional(int64()).at(17).doc("The smallest number of items a list must have."),
    uniqueItems: elided(bool()).at(18).doc("Whether all items must differ; must not be true in a definition."),
    multipleOf: optional(double()).at(19).doc("A number that the value must be a multiple of."),
    enum: elided(list(value())).at(20).doc("The allowed values; any other value is refused. Absent: all are allowed."),
    maxProperties: optional(int64()).at(21).doc("The largest number of members an object may have."),
    minProperties: optional(int64()).at(22).doc("The smallest number of members an object must have."),
    required: elided(list(string())).at(23).doc("The names of members that must be present."),
    items: optional(choice("orList", schema, named))
      .at(24)
      .doc("The schema of every item of a list."),
    allOf: elided(list(schema)).at(25).doc("Schemas that a value must all match."),
    oneOf: elided(list(schema)).at(26).doc("Schemas of which exactly one must match."),
    anyOf: elided(list(schema)).at(27).doc("Schemas of which at least one must match."),
    not: optional(schema).at(28).doc("A schema that a value must not match."),
    properties: elided(map(schema)).at(29).doc("The schemas of the members, by name."),
    additionalProperties: optional(choice("orBool", schema, named))
      .at(30)
      .doc("The schema of all members of a map, or true to allow any; excludes properties."),
    patternProperties: elided(map(schema))
      .at(31)
      .doc("Schemas of members whose names match a pattern; not allowed in a definition."),
    dependencies: elided(map(choice("orTexts", schema, named)))
      .at(32)
      .doc("Members or schemas that other members require; not allowed in a definition."),
    additionalItems: optional(choice("orBool", schema, named))
      .at(33)
      .doc("The schema of items beyond those listed; not allowed in a definition."),
    definitions: elided(map(schema)).at(34).doc("Schemas to refer to; not allowed in a definition."),
    externalDocs: optional(documentation).at(35).doc("A link to further documentation."),
    example: optional(value()).at(36).doc("An example of a valid value, for documentation."),
    nullable: elided(bool()).at(37).doc("Whether null is allowed. Default: false."),
    "x-orch-preserve-unknown-fields": optional(bool())
      .at(38)
      .doc("Whether fields that the schema does not name are kept. Default: false, they are pruned."),
    "x-orch-embedded-resource": elided(bool())
      .at(39)
      .doc("Whether the value is itself an object with apiVersion, kind and metadata."),
    "x-orch-int-or-string": elided(bool())
      .at(40)
      .doc("Whether the value is an integer or a string; type must then be absent."),
    "x-orch-list-map-keys": elided(list(string()))
      .at(41)
      .doc("The fields that identify an item of a list of type map."),
    "x-orch-list-type": optional(string())
      .at(42)
      .doc("How apply merges a list: atomic (as a whole), set (by value) or map (by key). Default: atomic."),
    "x-orch-map-type": optional(string())
      .at(43)
      .doc("How apply merges an object: granular (field by field) or atomic (as a whole). Default: granular."),
    "x-orch-validations": elided(
      list(rule, { topology: "map", keys: ["rule"], patchStrategy: "merge", patchMergeKey: "rule" }),
    )
      .at(44)
      .since("1.23")
      .behind("CustomResourceValidationExpressions")
      .doc("Rules in CEL that the value must meet. `self` is the value, `oldSelf` what it was before."),
  });
  const schema: Field<JSONSchemaProps, "required"> = struct(`apiextensions.${version}.JSONSchemaProps`, fields, {
    isFinal: true,
  }) as Field as Field<JSONSchemaProps, "required">;
  return schema;
}

export const JSONSchemaProps = jsonSchemaProps("v1");
export const JSONSchemaPropsV1beta1 = jsonSchemaProps("v1beta1");
