/** The schemas that a server publishes: of a kind, its fields with their documentation. */

import type { ResourceAddress } from "../../client/contract.ts";
import type { Sender } from "../../client/requests/send.ts";
import { type FieldPath, isJson, type Json, part, parts, text } from "./json.ts";

export interface SchemaField {
  readonly name: string;
  /** "string", "[]object", "map[string]string". */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly values: readonly string[];
  /** What is in it; undefined: nothing that is described. */
  readonly schema: Json | undefined;
}

export class Schemas {
  readonly #definitions: Json;
  #names: ReadonlyMap<string, string> | undefined;

  constructor(definitions: Json) {
    this.#definitions = definitions;
  }

  /** Undefined: the server does not publish it. */
  of({ group, version, kind }: ResourceAddress): Json | undefined {
    this.#names ??= namesByKind(this.#definitions);
    const name = this.#names.get(`${group}/${version}/${kind}`);
    return name === undefined ? undefined : part(this.#definitions, name);
  }

  fieldsOf(schema: Json): SchemaField[] {
    const required = schema["required"];
    return Object.entries(part(schema, "properties")).map(([name, given]) => {
      const property = isJson(given) ? given : {};
      const inner = this.#innerOf(property);
      const values = Array.isArray(property["enum"]) ? property["enum"].map(String) : [];
      return {
        name,
        type: this.#typeOf(property),
        description: text(property, "description") || text(inner, "description"),
        isRequired: Array.isArray(required) && required.includes(name),
        values,
        schema: Object.keys(part(inner, "properties")).length > 0 ? inner : undefined,
      };
    });
  }

  /** The schema of what is at a path, without references; undefined: it is not described. */
  at(schema: Json, path: FieldPath): Json | undefined {
    let found: unknown = schema;
    for (const step of path) {
      if (!isJson(found)) return undefined;
      const { properties, items, additionalProperties } = this.#resolve(found);
      const named = typeof step === "string" && isJson(properties) ? properties[step] : undefined;
      found = typeof step === "number" ? items : (named ?? additionalProperties);
    }
    return isJson(found) ? this.#resolve(found) : undefined;
  }

  /** The field at a path, with its documentation. */
  fieldAt(schema: Json, path: FieldPath): SchemaField | undefined {
    const name = path.at(-1);
    const around = this.at(schema, path.slice(0, -1));
    if (typeof name !== "string" || around === undefined) return undefined;
    return this.fieldsOf(around).find((field) => field.name === name);
  }

  /** The schema behind references, lists and maps. */
  #innerOf(schema: Json): Json {
    const resolved = this.#resolve(schema);
    if (isJson(resolved["items"])) return this.#innerOf(resolved["items"]);
    const more = resolved["additionalProperties"];
    return isJson(more) ? this.#innerOf(more) : resolved;
  }

  #typeOf(schema: Json): string {
    const resolved = this.#resolve(schema);
    const { items, additionalProperties } = resolved;
    if (isJson(items)) return `[]${this.#typeOf(items)}`;
    if (isJson(additionalProperties)) return `map[string]${this.#typeOf(additionalProperties)}`;
    return text(resolved, "type") || "object";
  }

  #resolve(schema: Json): Json {
    const reference = text(schema, "$ref");
    return reference === "" ? schema : part(this.#definitions, reference.slice(reference.lastIndexOf("/") + 1));
  }
}

/** Both vocabularies mark a definition with the kinds that it describes. */
function namesByKind(definitions: Json): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(definitions)) {
    const marks = isJson(definition) ? Object.keys(definition).filter((key) => key.endsWith("group-version-kind")) : [];
    for (const one of marks.flatMap((mark) => parts(definition, mark)))
      names.set(`${text(one, "group")}/${text(one, "version")}/${text(one, "kind")}`, name);
  }
  return names;
}

interface Sending {
  readonly send: Sender;
}

const schemasOf = new WeakMap<Sending, Promise<Schemas>>();

/** Read once for each connection; a failure is tried again. */
export function readSchemas(connection: Sending): Promise<Schemas> {
  const known = schemasOf.get(connection);
  if (known !== undefined) return known;
  const document = connection.send.json("/openapi/v2");
  const schemas = document.then((all) => new Schemas(part(all, "definitions")));
  schemasOf.set(connection, schemas);
  schemas.catch(() => schemasOf.delete(connection));
  return schemas;
}
