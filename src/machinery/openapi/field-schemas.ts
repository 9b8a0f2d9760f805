/** The schema of a field: its type, the values it may have, its rules in words, and how it merges. */

import type { Environment } from "../schema/environment.ts";
import { featuresAt } from "../schema/features.ts";
import { atLevel } from "../schema/field-level.ts";
import { listTopology } from "../schema/list-topology.ts";
import { wordsOfRules } from "../schema/rule-words.ts";
import type { Field, ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import type { OpenApiSchema } from "./document.ts";
import { jsonLeaves } from "./leaf-types.ts";

/** What definitions look like: at which level, and whether for v2 or v3, which shows more of custom kinds and the defaults of built-in ones. */
export interface DefinitionForm extends Pick<Environment, "vocabulary" | "gates" | "level"> {
  readonly form: "v2" | "v3";
}

/** References to types, whose definitions are made when they are missing. */
interface TypeReferences {
  refer(schema: StructSchema): OpenApiSchema;
  referToLeaf(name: string, version?: string): OpenApiSchema;
}

/** Writes the fields of one document. */
export class FieldSchemas {
  readonly #form: DefinitionForm;
  readonly #types: TypeReferences;
  readonly #namesValues: boolean;
  /** Before 1.27 only fields that are not pointers name their values, before 1.30 items name none. */
  readonly #namesPointers: boolean;
  /** Since 1.30, and since then every list that is a field says how it merges. */
  readonly #namesItems: boolean;

  constructor(form: DefinitionForm, types: TypeReferences) {
    this.#form = form;
    this.#types = types;
    const has = featuresAt(form.level);
    this.#namesValues = form.gates.enabled("OpenAPIEnums");
    this.#namesPointers = has.namedPointers;
    this.#namesItems = has.namedItems;
  }

  extension(name: string): `x-${string}` {
    return `x-${this.#form.vocabulary.extensionPrefix.slice(2)}${name}`;
  }

  property(field: Field): OpenApiSchema {
    const { schema } = field;
    const result: OpenApiSchema = field.description === "" ? {} : { description: field.description };
    Object.assign(result, this.typeOf(schema));
    if (this.#form.form === "v3" && field.showsDefault) result.default = field.fallback;
    const values = this.#valuesOfField(field);
    if (values.length > 0) result.enum = values;
    this.#addRules(result, field);
    this.#addMerging(result, field);
    return result;
  }

  typeOf(schema: Schema): OpenApiSchema {
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
        return this.#types.referToLeaf("apimachinery.pkg.api.resource.Quantity");
      case "intOrString":
        return this.#types.referToLeaf("apimachinery.pkg.util.intstr.IntOrString");
      case "time":
        return this.#types.referToLeaf("apimachinery.pkg.apis.meta.v1.Time");
      case "microTime":
        return this.#types.referToLeaf("apimachinery.pkg.apis.meta.v1.MicroTime");
      case "duration":
        return this.#types.referToLeaf("apimachinery.pkg.apis.meta.v1.Duration");
      case "json":
        return this.#types.referToLeaf(jsonLeaves[schema.form], schema.version);
      case "list": {
        const items = { ...this.typeOf(schema.items), ...this.#valuesOfItems(schema) };
        return { type: "array", items, ...this.merging(schema) };
      }
      case "map":
        return {
          type: "object",
          additionalProperties: { ...this.typeOf(schema.values), ...this.#valuesOfItems(schema) },
          ...(schema.topology === undefined ? {} : { [this.extension("map-type")]: schema.topology }),
        };
      case "struct":
        return this.#types.refer(schema);
    }
  }

  /** How a list merges. */
  merging({ topology, keys }: Pick<ListSchema, "topology" | "keys">): OpenApiSchema {
    return {
      ...(topology === undefined ? {} : { [this.extension("list-type")]: topology }),
      ...(keys === undefined ? {} : { [this.extension("list-map-keys")]: keys }),
    };
  }

  #valuesOfField(field: Field): readonly string[] {
    const isPointer = field.presence === "optional" || field.presence === "nullable";
    return this.#namesValues && (this.#namesPointers || !isPointer) ? valuesOf(field) : [];
  }

  #valuesOfItems({ ruled }: Pick<ListSchema, "ruled">): OpenApiSchema {
    if (!this.#namesValues || !this.#namesItems || ruled === undefined) return {};
    const field = atLevel(this.#form.level).field(ruled);
    const values = field === undefined ? [] : valuesOf(field);
    return values.length === 0 ? {} : { enum: values };
  }

  #addRules(result: OpenApiSchema, field: Field): void {
    const { rulesExtension } = this.#form.vocabulary;
    if (rulesExtension === undefined) return;
    const words = wordsOfRules(field, atLevel(this.#form.level));
    if (words.length > 0) result[rulesExtension] = words;
  }

  #addMerging(result: OpenApiSchema, { schema, isListedAtomic }: Field): void {
    if ("patchStrategy" in schema && schema.patchStrategy !== undefined)
      result[this.extension("patch-strategy")] = schema.patchStrategy;
    if ("patchMergeKey" in schema && schema.patchMergeKey !== undefined)
      result[this.extension("patch-merge-key")] = schema.patchMergeKey;
    // Elsewhere the same type is owned as a whole.
    if (schema.type === "struct" && schema.topology === "granular") result[this.extension("map-type")] = "granular";
    if (isListedAtomic) Object.assign(result, this.merging({ topology: "atomic" }));
    // A list that is a type of its own does not say it.
    if (schema.type === "list" && this.#namesItems && !schema.wrapped)
      Object.assign(result, this.merging(listTopology(schema)));
  }
}

function valuesOf({ enumeration, rules }: Field): readonly string[] {
  if (enumeration === "none") return [];
  const values = enumeration ?? rules.find((rule) => rule.rule === "oneOf")?.values ?? [];
  return (values as readonly string[]).toSorted(); // those of a level are not dated
}
