/** The types of definitions as a declaration file, with their documentation. */

import { isJson, type Json, text, texts } from "../json.ts";
import { type Definition, inTitleCase, type PrintedVersion, typeNames } from "./definitions.ts";
import { comment, literal, memberName } from "./source-text.ts";

/** The preferred version of Widget is `Widget`, another one `WidgetV1beta1`; a part of it is `WidgetSpec`. */
export function printDeclarations(definitions: readonly Definition[]): string {
  const names = typeNames(definitions);
  const printer = new Declarations();
  for (const definition of definitions)
    for (const [at, version] of definition.versions.entries()) {
      const name = `${names.get(definition)}${at === 0 ? "" : inTitleCase(version.name)}`;
      printer.kind(name, definition, version);
    }
  return `import type { ObjectMeta } from "orch/types";\n\n${printer.text()}`;
}

class Declarations {
  readonly #interfaces = new Map<string, string>();

  text(): string {
    return [...this.#interfaces.values()].join("\n");
  }

  kind(wanted: string, { group, kind }: Definition, { name: version, schema }: PrintedVersion): void {
    const name = this.#free(wanted);
    const fixed = `  apiVersion?: ${literal(`${group}/${version}`)};\n  kind?: ${literal(kind)};\n  metadata: ObjectMeta;\n`;
    this.#interface(name, schema, fixed, new Set(["apiVersion", "kind", "metadata"]));
  }

  #interface(name: string, schema: Json, fixed: string, omitted: ReadonlySet<string>): void {
    const properties = isJson(schema["properties"]) ? schema["properties"] : {};
    const required = texts(schema, "required");
    const members = Object.entries(properties).map(([key, value]) => {
      if (omitted.has(key) || !isJson(value)) return "";
      // The server fills in what has a default, so that a client may omit it.
      const isRequired = required.includes(key) && value["default"] === undefined;
      const type = this.#type(value, `${name}${inTitleCase(key)}`);
      return `${comment(text(value, "description"), "  ")}  ${memberName(key)}${isRequired ? "" : "?"}: ${type};\n`;
    });
    const open = isOpen(schema) ? "  [member: string]: unknown;\n" : "";
    const doc = comment(text(schema, "description"), "");
    this.#interfaces.set(name, `${doc}export interface ${name} {\n${fixed}${members.join("")}${open}}\n`);
  }

  #type(schema: Json, name: string): string {
    const type = this.#plainType(schema, name);
    return schema["nullable"] === true && type !== "unknown" ? `${type} | null` : type;
  }

  #plainType(schema: Json, name: string): string {
    if (schema["x-int-or-string"] === true) return "number | string";
    const values = schema["enum"];
    if (Array.isArray(values) && values.length > 0 && values.every(isScalar)) return values.map(literal).join(" | ");
    switch (schema["type"]) {
      case "string":
        return "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
        return "boolean";
      case "array": {
        const items = this.#type(isJson(schema["items"]) ? schema["items"] : {}, `${name}Item`);
        return items.includes(" ") ? `(${items})[]` : `${items}[]`;
      }
      case "object":
        return this.#objectType(schema, name);
      default:
        return "unknown";
    }
  }

  #objectType(schema: Json, wanted: string): string {
    const { properties, additionalProperties } = schema;
    if (isJson(properties) || schema["x-embedded-resource"] === true) {
      const name = this.#free(wanted);
      const isResource = schema["x-embedded-resource"] === true;
      const fixed = isResource ? "  apiVersion: string;\n  kind: string;\n  metadata?: ObjectMeta;\n" : "";
      this.#interface(name, schema, fixed, new Set(isResource ? ["apiVersion", "kind", "metadata"] : []));
      return name;
    }
    return isJson(additionalProperties)
      ? `Record<string, ${this.#type(additionalProperties, `${wanted}Value`)}>`
      : "Record<string, unknown>";
  }

  /** Taken at once, so that types inside it do not get the name. */
  #free(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#interfaces.has(name); count++) name = `${wanted}${count}`;
    this.#interfaces.set(name, "");
    return name;
  }
}

const isScalar = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value);

const isOpen = (schema: Json): boolean => schema["x-preserve-unknown-fields"] === true;
