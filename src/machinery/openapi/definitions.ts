/** Struct schemas as JSON schemas: one definition for each type that can be reached from the kinds served. */

import { existsIn } from "../../base/release.ts";
import { finish, type Steps } from "../../base/time-slice.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { ListMetaStruct } from "../codec/meta-types.ts";
import { setOwn } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { atLevel } from "../schema/field-level.ts";
import { type GroupVersionKind, metadataDoc } from "../schema/kind.ts";
import { metadataOf } from "../schema/kind-level.ts";
import type { StructSchema } from "../schema/schema.ts";
import { customDefinition } from "./custom-definition.ts";
import type { OpenApiSchema } from "./document.ts";
import { type DefinitionForm, FieldSchemas } from "./field-schemas.ts";
import { leafTypes } from "./leaf-types.ts";

/** Where a definition is found: "#/definitions/". */
export const definitionsPath = "#/definitions/";

/** "APIVersion defines" is a phrase that clients look for. */
const apiVersionProperty: OpenApiSchema = {
  description: "APIVersion defines the API group and version that the object is written in.",
  type: "string",
};
const kindProperty: OpenApiSchema = { description: "The kind of the object, in CamelCase.", type: "string" };

/** The definitions of one document. */
export class Definitions {
  readonly #form: DefinitionForm;
  readonly #fields: FieldSchemas;
  readonly #made = new Map<string, OpenApiSchema>();

  constructor(environment: Omit<DefinitionForm, "form">, form: DefinitionForm["form"] = "v2") {
    const { vocabulary, gates, level } = environment;
    this.#form = { vocabulary, gates, level, form };
    this.#fields = new FieldSchemas(this.#form, this);
  }

  /** A reference to the definition of a type, which is made if it is missing. */
  refer(schema: StructSchema): OpenApiSchema {
    const name = this.#nameOf(schema.name);
    const ref = this.#define(name, (definition) => this.#fill(definition, schema, {}));
    const definition = this.#made.get(name);
    // Set even if a field for which the type is granular came first.
    if (definition !== undefined && schema.topology === "atomic")
      definition[this.#fields.extension("map-type")] = "atomic";
    return ref;
  }

  /** Refers to the type of a whole object, which has apiVersion and kind. */
  referToKind(kind: BoundKind): OpenApiSchema {
    const { openApi } = kind.declaration;
    if (openApi === undefined) return this.referToWhole(kind.schema, [gvkOf(kind)]);
    finish(this.prepare(kind));
    return reference(kind.schema.name);
  }

  /** Makes the definition of a custom kind, which may be large, in steps. */
  *prepare(kind: BoundKind): Steps<void> {
    const { openApi } = kind.declaration;
    if (openApi === undefined || this.#made.has(kind.schema.name)) return;
    const metadata = { description: metadataDoc, ...this.refer(metadataOf(kind)) };
    const { extensionPrefix: prefix } = this.#form.vocabulary;
    const shared = { prefix, apiVersion: apiVersionProperty, kind: kindProperty, metadata };
    const definition = yield* customDefinition(openApi(), this.#form.form, shared);
    definition[this.#fields.extension("group-version-kind")] = [gvkOf(kind)];
    this.#made.set(kind.schema.name, definition);
  }

  referToList(kind: BoundKind): OpenApiSchema {
    const items = this.referToKind(kind);
    const name = this.#nameOf(kind.schema.name.replace(/[^.]*$/, kind.listKind));
    return this.#define(name, (definition) =>
      Object.assign(definition, {
        description: `A list of ${kind.kind} objects.`,
        type: "object",
        required: ["items"],
        properties: {
          apiVersion: apiVersionProperty,
          items: {
            description: `List of ${kind.resource || kind.kind}.`,
            type: "array",
            items,
            ...(this.#saysItemNames(kind) ? this.#fields.merging({ topology: "map", keys: ["name"] }) : {}),
          },
          kind: kindProperty,
          metadata: {
            description: "The resourceVersion of the list, and the continue token if there is more.",
            ...this.refer(atLevel(this.#form.level).schema(ListMetaStruct.schema as StructSchema)), // made by struct()
          },
        },
        [this.#fields.extension("group-version-kind")]: [{ ...gvkOf(kind), kind: kind.listKind }],
      }),
    );
  }

  /** A whole object that is not a kind of the catalog: Status, DeleteOptions. It may have several names. */
  referToWhole(schema: StructSchema, names: readonly GroupVersionKind[]): OpenApiSchema {
    const name = this.#nameOf(schema.name);
    const extension = this.#fields.extension("group-version-kind");
    const ref = this.#define(name, (definition) => {
      this.#fill(definition, schema, { apiVersion: apiVersionProperty, kind: kindProperty });
      definition[extension] = [];
    });
    // Several kinds may share one type.
    const list = this.#made.get(name)?.[extension] as GroupVersionKind[]; // set above
    for (const gvk of names) if (!list.some((known) => sameKind(known, gvk))) list.push(gvk);
    return ref;
  }

  /** A definition that is not a struct. `version`: of the package that it is in. */
  referToLeaf(name: string, version = "v1"): OpenApiSchema {
    const named = this.#form.vocabulary.definitionPrefix + name.replace(/\.v1\.(?=\w+$)/, `.${version}.`);
    return this.#define(named, (definition) => Object.assign(definition, leafTypes[name]));
  }

  /** Removes some definitions, as if they had not been made. */
  take(names: readonly string[]): Record<string, OpenApiSchema> {
    const taken = names.flatMap((name) => {
      const definition = this.#made.get(name);
      return definition !== undefined && this.#made.delete(name) ? [[name, definition] as const] : [];
    });
    return Object.fromEntries(taken);
  }

  /** All that were made, in the order of their names. */
  all(): Record<string, OpenApiSchema> {
    return Object.fromEntries([...this.#made].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A struct may contain itself, so it is registered before its fields are read. */
  #define(name: string, make: (definition: OpenApiSchema) => void): OpenApiSchema {
    if (!this.#made.has(name)) {
      const definition: OpenApiSchema = {};
      this.#made.set(name, definition);
      make(definition);
    }
    return reference(name);
  }

  #fill(definition: OpenApiSchema, schema: StructSchema, first: Record<string, OpenApiSchema>): void {
    if (schema.description !== "") definition.description = schema.description;
    definition.type = "object";
    const properties: Record<string, OpenApiSchema> = { ...first };
    const required: string[] = [];
    for (const [name, field] of schema.fields) {
      setOwn(properties, name, this.#fields.property(field)); // a field of a custom resource may have any name
      if (field.listedRequired ?? field.presence === "required") required.push(name);
    }
    if (required.length > 0) definition.required = required;
    if (Object.keys(properties).length > 0) definition.properties = properties;
    if (schema.unions !== undefined) definition[this.#fields.extension("unions")] = schema.unions;
  }

  #saysItemNames({ declaration: { compat } }: BoundKind): boolean {
    return compat?.namedItemsUntil !== undefined && existsIn(this.#form.level, { until: compat.namedItemsUntil });
  }

  #nameOf(type: string): string {
    return definitionName(this.#form.vocabulary, type);
  }
}

const reference = (name: string): OpenApiSchema => ({ $ref: definitionsPath + name });

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

function sameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
