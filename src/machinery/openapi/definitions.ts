/** Struct schemas as JSON schemas: one definition for each type that can be reached from the kinds served. */

import { existsIn } from "../../base/release.ts";
import { finish, type Steps } from "../../base/time-slice.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { ListMetaStruct } from "../codec/meta-types.ts";
import { setOwn } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { Environment } from "../schema/environment.ts";
import { featuresAt } from "../schema/features.ts";
import { atLevel } from "../schema/field-level.ts";
import { type GroupVersionKind, metadataDoc } from "../schema/kind.ts";
import { metadataOf } from "../schema/kind-level.ts";
import { listTopology } from "../schema/list-topology.ts";
import { wordsOfRules } from "../schema/rule-words.ts";
import type { Field, ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import { customDefinition } from "./custom-definition.ts";
import type { OpenApiSchema } from "./document.ts";

/** Where a definition is found: "#/definitions/". */
export const definitionsPath = "#/definitions/";

export interface Definitions {
  /** A reference to the definition of a type, which is made if it is missing. */
  refer(schema: StructSchema): OpenApiSchema;
  /** Refers to the type of a whole object, which has apiVersion and kind. */
  referToKind(kind: BoundKind): OpenApiSchema;
  /** Makes the definition of a custom kind, which may be large, in steps. */
  prepare(kind: BoundKind): Steps<void>;
  referToList(kind: BoundKind): OpenApiSchema;
  /** A whole object that is not a kind of the catalog: Status, DeleteOptions. It may have several names. */
  referToWhole(schema: StructSchema, names: readonly GroupVersionKind[]): OpenApiSchema;
  /** A definition that is not a struct. */
  referToLeaf(name: string): OpenApiSchema;
  /** Removes some definitions, as if they had not been made. */
  take(names: readonly string[]): Record<string, OpenApiSchema>;
  /** All that were made, in the order of their names. */
  all(): Record<string, OpenApiSchema>;
}

/** "APIVersion defines" is a phrase that clients look for. */
const apiVersionProperty: OpenApiSchema = {
  description: "APIVersion defines the API group and version that the object is written in.",
  type: "string",
};
const kindProperty: OpenApiSchema = { description: "The kind of the object, in CamelCase.", type: "string" };

/** Types with a special form in JSON. */
const leaves: Readonly<Record<string, OpenApiSchema>> = {
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

/** `form`: how much of the schemas of custom kinds is shown, and whether defaults of built-in ones are. */
export function createDefinitions(
  { vocabulary, gates, level }: Pick<Environment, "vocabulary" | "gates" | "level">,
  form: "v2" | "v3" = "v2",
): Definitions {
  const { rulesExtension } = vocabulary;
  const has = featuresAt(level);
  const namesValues = gates.enabled("OpenAPIEnums");
  // Since 1.30 every list that is a field says how it merges.
  const saysAllLists = has.namedItems;
  // Before 1.27 only fields that are not pointers name their values, before 1.30 items name none.
  const namesPointers = has.namedPointers;
  const namesItems = has.namedItems;
  const made = new Map<string, OpenApiSchema>();
  const extension = (name: string) => `x-${vocabulary.extensionPrefix.slice(2)}${name}` as const;
  const reference = (name: string): OpenApiSchema => ({ $ref: definitionsPath + name });

  /** A struct may contain itself, so it is registered before its fields are read. */
  function define(name: string, make: (definition: OpenApiSchema) => void): OpenApiSchema {
    if (!made.has(name)) {
      const definition: OpenApiSchema = {};
      made.set(name, definition);
      make(definition);
    }
    return reference(name);
  }

  function refer(schema: StructSchema): OpenApiSchema {
    const name = definitionName(vocabulary, schema.name);
    const ref = define(name, (definition) => fill(definition, schema, {}));
    const definition = made.get(name);
    // Set even if a field for which the type is granular came first.
    if (definition !== undefined && schema.topology === "atomic") definition[extension("map-type")] = "atomic";
    return ref;
  }

  function referToWhole(schema: StructSchema, names: readonly GroupVersionKind[]): OpenApiSchema {
    const name = definitionName(vocabulary, schema.name);
    const ref = define(name, (definition) => {
      fill(definition, schema, { apiVersion: apiVersionProperty, kind: kindProperty });
      definition[extension("group-version-kind")] = [];
    });
    // Several kinds may share one type.
    const list = made.get(name)?.[extension("group-version-kind")] as GroupVersionKind[]; // set above
    for (const gvk of names) if (!list.some((known) => sameKind(known, gvk))) list.push(gvk);
    return ref;
  }

  function fill(definition: OpenApiSchema, schema: StructSchema, first: Record<string, OpenApiSchema>): void {
    if (schema.description !== "") definition.description = schema.description;
    definition.type = "object";
    const properties: Record<string, OpenApiSchema> = { ...first };
    const required: string[] = [];
    for (const [name, field] of schema.fields) {
      setOwn(properties, name, property(field)); // a field of a custom resource may have any name
      if (field.listedRequired ?? field.presence === "required") required.push(name);
    }
    if (required.length > 0) definition.required = required;
    if (Object.keys(properties).length > 0) definition.properties = properties;
    if (schema.unions !== undefined) definition[extension("unions")] = schema.unions;
  }

  function property(field: Field): OpenApiSchema {
    const result: OpenApiSchema = field.description === "" ? {} : { description: field.description };
    Object.assign(result, typeOf(field.schema));
    if (form === "v3" && field.showsDefault) result.default = field.fallback;
    const isPointer = field.presence === "optional" || field.presence === "nullable";
    const values = namesValues && (namesPointers || !isPointer) ? enumerationOf(field) : [];
    if (values.length > 0) result.enum = values;
    if (rulesExtension !== undefined) {
      const words = wordsOfRules(field, atLevel(level));
      if (words.length > 0) result[rulesExtension] = words;
    }
    const { schema } = field;
    if ("patchStrategy" in schema && schema.patchStrategy !== undefined)
      result[extension("patch-strategy")] = schema.patchStrategy;
    if ("patchMergeKey" in schema && schema.patchMergeKey !== undefined)
      result[extension("patch-merge-key")] = schema.patchMergeKey;
    // Elsewhere the same type is owned as a whole.
    if (schema.type === "struct" && schema.topology === "granular") result[extension("map-type")] = "granular";
    if (field.isListedAtomic) Object.assign(result, mergeOf({ topology: "atomic" }));
    if (schema.type === "list") {
      // A list that is a type of its own does not say it.
      if (saysAllLists && !schema.wrapped) Object.assign(result, mergeOf(listTopology(schema)));
    }
    return result;
  }

  function typeOf(schema: Schema): OpenApiSchema {
    switch (schema.type) {
      case "string":
        return { type: "string" };
      case "int32":
      case "int64":
      case "uint32":
        return { type: "integer", format: schema.type === "int32" ? "int32" : "int64" };
      case "bool":
        return { type: "boolean" };
      case "double":
        return { type: "number", format: "double" };
      case "bytes":
        return { type: "string", format: "byte" };
      case "quantity":
        return leaf("apimachinery.pkg.api.resource.Quantity");
      case "intOrString":
        return leaf("apimachinery.pkg.util.intstr.IntOrString");
      case "time":
        return leaf("apimachinery.pkg.apis.meta.v1.Time");
      case "microTime":
        return leaf("apimachinery.pkg.apis.meta.v1.MicroTime");
      case "duration":
        return leaf("apimachinery.pkg.apis.meta.v1.Duration");
      case "json":
        return leaf(jsonLeaves[schema.form], schema.version);
      case "list":
        return { type: "array", items: { ...typeOf(schema.items), ...valuesOf(schema) }, ...mergeOf(schema) };
      case "map":
        return {
          type: "object",
          additionalProperties: { ...typeOf(schema.values), ...valuesOf(schema) },
          ...(schema.topology === undefined ? {} : { [extension("map-type")]: schema.topology }),
        };
      case "struct":
        return refer(schema);
    }
  }

  /** The values that items may have. */
  function valuesOf({ ruled }: Pick<ListSchema, "ruled">): OpenApiSchema {
    const field = namesValues && namesItems && ruled !== undefined ? atLevel(level).field(ruled) : undefined;
    const values = field === undefined ? [] : enumerationOf(field);
    return values.length === 0 ? {} : { enum: values };
  }

  /** How a list merges. */
  function mergeOf({ topology, keys }: Pick<ListSchema, "topology" | "keys">): OpenApiSchema {
    return {
      ...(topology === undefined ? {} : { [extension("list-type")]: topology }),
      ...(keys === undefined ? {} : { [extension("list-map-keys")]: keys }),
    };
  }

  function leaf(name: string, version = "v1"): OpenApiSchema {
    const named = vocabulary.definitionPrefix + name.replace(/\.v1\.(?=\w+$)/, `.${version}.`);
    return define(named, (definition) => Object.assign(definition, leaves[name]));
  }

  function referToList(kind: BoundKind): OpenApiSchema {
    const item = referToKind(kind);
    const name = definitionName(vocabulary, kind.schema.name.replace(/[^.]*$/, kind.listKind));
    return define(name, (definition) =>
      Object.assign(definition, {
        description: `A list of ${kind.kind} objects.`,
        type: "object",
        required: ["items"],
        properties: {
          apiVersion: apiVersionProperty,
          items: {
            description: `List of ${kind.resource || kind.kind}.`,
            type: "array",
            items: item,
            ...(saysItemNames(kind) ? mergeOf({ topology: "map", keys: ["name"] }) : {}),
          },
          kind: kindProperty,
          metadata: {
            description: "The resourceVersion of the list, and the continue token if there is more.",
            ...refer(atLevel(level).schema(ListMetaStruct.schema as StructSchema)), // made by struct()
          },
        },
        [extension("group-version-kind")]: [{ ...gvkOf(kind), kind: kind.listKind }],
      }),
    );
  }

  const saysItemNames = ({ declaration: { compat } }: BoundKind): boolean =>
    compat?.namedItemsUntil !== undefined && existsIn(level, { until: compat.namedItemsUntil });

  function referToKind(kind: BoundKind): OpenApiSchema {
    const { openApi } = kind.declaration;
    if (openApi === undefined) return referToWhole(kind.schema, [gvkOf(kind)]);
    finish(prepare(kind));
    return reference(kind.schema.name);
  }

  function* prepare(kind: BoundKind): Steps<void> {
    const { openApi } = kind.declaration;
    if (openApi === undefined || made.has(kind.schema.name)) return;
    const metadata = { description: metadataDoc, ...refer(metadataOf(kind)) };
    const { extensionPrefix: prefix } = vocabulary;
    const shared = { prefix, apiVersion: apiVersionProperty, kind: kindProperty, metadata };
    const definition = yield* customDefinition(openApi(), form, shared);
    definition[extension("group-version-kind")] = [gvkOf(kind)];
    made.set(kind.schema.name, definition);
  }

  return {
    refer,
    referToKind,
    prepare,
    referToList,
    referToWhole,
    referToLeaf: leaf,
    take(names) {
      const taken = names.flatMap((name) => {
        const definition = made.get(name);
        return definition !== undefined && made.delete(name) ? [[name, definition] as const] : [];
      });
      return Object.fromEntries(taken);
    },
    all: () => Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const jsonLeaves = {
  raw: "apimachinery.pkg.runtime.RawExtension",
  value: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
  fields: "apimachinery.pkg.apis.meta.v1.FieldsV1",
  orList: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray",
  orBool: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool",
  orTexts: "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray",
} as const;

export function gvkOf({ group, version, kind }: BoundKind): GroupVersionKind {
  return { group, version, kind };
}

/** "core.v1.Pod" -> "io.orch.api.core.v1.Pod". Names of other forms (custom resources) are full names already. */
function definitionName(vocabulary: Vocabulary, type: string): string {
  if (!/^[a-z0-9]+\.v[0-9][a-z0-9]*\.[A-Za-z0-9]+$/.test(type)) return type;
  const place = places(vocabulary).get(type.slice(0, type.indexOf("."))) ?? "api.";
  return vocabulary.definitionPrefix + place + type;
}

/** Types that are not in the same package as the others. */
function places(vocabulary: Vocabulary): ReadonlyMap<string, string> {
  return new Map([
    ["meta", "apimachinery.pkg.apis."],
    ["apiextensions", "apiextensions-apiserver.pkg.apis."],
    ["apiregistration", `${vocabulary.word("orch-aggregator")}.pkg.apis.`],
  ]);
}

function enumerationOf({ enumeration, rules }: Field): readonly string[] {
  if (enumeration === "none") return [];
  const values = enumeration ?? rules.find((rule) => rule.rule === "oneOf")?.values ?? [];
  return (values as readonly string[]).toSorted(); // those of a level are not dated
}

function sameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
