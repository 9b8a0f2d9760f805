/** Types with a special form in JSON, which definitions describe by hand: their names, and what they are. */

import type { OpenApiSchema } from "./document.ts";

/** By the names of their definitions, without the prefix of the vocabulary. */
export const leafTypes: Readonly<Record<string, OpenApiSchema>> = {
  "apimachinery.pkg.api.resource.Quantity": {
    description: "A decimal with a suffix: 500m, 2, 1Gi, 12e6.",
    type: "string",
  },
  "apimachinery.pkg.util.intstr.IntOrString": {
    description: "A number or a text, such as a port by number or by name.",
    type: "string",
    format: "int-or-string",
  },
  "apimachinery.pkg.apis.meta.v1.Time": {
    description: "A point in time to the second: 2006-01-02T15:04:05Z.",
    type: "string",
    format: "date-time",
  },
  "apimachinery.pkg.apis.meta.v1.MicroTime": {
    description: "A point in time to the microsecond: 2006-01-02T15:04:05.000000Z.",
    type: "string",
    format: "date-time",
  },
  "apimachinery.pkg.apis.meta.v1.Duration": { description: "A span of time: 1h2m3s.", type: "string" },
  "apimachinery.pkg.apis.meta.v1.FieldsV1": {
    description: "A set of fields, as a tree of their names.",
    type: "object",
  },
  "apimachinery.pkg.apis.meta.v1.Patch": { description: "A change to an object.", type: "object" },
  "apimachinery.pkg.runtime.RawExtension": { description: "Any object.", type: "object" },
  "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": { description: "Any JSON value." },
  "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": {
    description: "A schema, or a list of schemas.",
  },
  "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": {
    description: "A schema, or whether anything is allowed.",
  },
  "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": {
    description: "A schema, or a list of names.",
  },
};

/** Of fields that take any JSON. */
export const jsonLeaves = {
  raw: "apimachinery.pkg.runtime.RawExtension",
  value: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
  fields: "apimachinery.pkg.apis.meta.v1.FieldsV1",
  orList: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray",
  orBool: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool",
  orTexts: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray",
} as const;
