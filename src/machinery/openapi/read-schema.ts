/** From a published OpenAPI document back to a schema, as far as strategic merges need it: structs, lists and their merge keys. */

import { isObject, type JsonObject } from "../json/json-value.ts";
import { Field, type Schema, type StructSchema } from "../schema/schema.ts";

/** Schemas of one document. Definitions may contain themselves, so each is read once, when it is first needed. */
export class PublishedSchemas {
  readonly #definitions: JsonObject;
  readonly #structs = new Map<string, StructSchema>();

  /** `definitions`: those of the document, by name. */
  constructor(definitions: JsonObject) {
    this.#definitions = definitions;
  }

  /** The schema of the definition; undefined: there is none, or it is not an object. */
  struct(name: string): StructSchema | undefined {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    const definition = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
    const properties = isObject(definition) ? definition["properties"] : undefined;
    if (!isObject(definition) || !isObject(properties)) return undefined;
    const fields = new Map<string, Field>();
    const struct: StructSchema = { type: "struct", name, description: "", fields };
    this.#structs.set(name, struct);
    for (const [key, property] of Object.entries(properties))
      if (isObject(property)) fields.set(key, new Field(this.#read(property), "optional"));
    return struct;
  }

  #read(property: JsonObject): Schema {
    const patchStrategy = extension(property, "patch-strategy");
    const reference = property["$ref"];
    if (typeof reference === "string") {
      const struct = this.struct(reference.slice(reference.lastIndexOf("/") + 1));
      if (struct === undefined) return anyValue;
      return patchStrategy === undefined ? struct : { ...struct, patchStrategy };
    }
    const { items, additionalProperties } = property;
    if (property["type"] === "array" && isObject(items)) {
      const patchMergeKey = extension(property, "patch-merge-key");
      return {
        type: "list",
        items: this.#read(items),
        ...(patchStrategy === undefined ? {} : { patchStrategy }),
        ...(patchMergeKey === undefined ? {} : { patchMergeKey }),
      };
    }
    if (isObject(additionalProperties)) return { type: "map", values: this.#read(additionalProperties) };
    return anyValue;
  }
}

/** Scalars, and what no schema describes. */
const anyValue: Schema = { type: "json", form: "value" };

/** The value of `x-kubernetes-…` or `x-orch-…`: the prefix is that of the vocabulary. */
function extension(property: JsonObject, name: string): string | undefined {
  const key = Object.keys(property).find((one) => one.startsWith("x-") && one.endsWith(`-${name}`));
  const value = key === undefined ? undefined : property[key];
  return typeof value === "string" ? value : undefined;
}
