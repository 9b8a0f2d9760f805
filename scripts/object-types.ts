/**
 * Prints the types of built-in objects with their documentation, for `import type { Pod } from "orch/types"`: declarations have them as
 * values, which editors cannot show. The build writes them into dist/.
 */

import { isDeepStrictEqual } from "node:util";
import type { Span } from "../src/base/release.ts";
import type { Field, Schema, StructSchema } from "../src/machinery/schema/schema.ts";
import * as versions from "../src/main/kind-versions.ts";
import * as hubs from "../src/main/kinds.ts";

/** Their declarations give them another type than that of their fields: a schema has extensions, whose names depend on the vocabulary. */
const openStructs: ReadonlySet<string> = new Set(["JSONSchemaProps"]);

const kinds = { ...hubs, ...versions };
const interfaces = new Map<string, string>();
/** Which struct has which name: several versions may have a struct of the same name. */
const names = new Map<string, StructSchema>();
const chosen = new Map<StructSchema, string>();

for (const [name, { schema }] of Object.entries(kinds)) {
  names.set(name, schema);
  chosen.set(schema, name);
}
for (const [name, { schema, since, until, deprecated }] of Object.entries(kinds))
  print(name, schema, { since, until: until ?? deprecated?.removed });
process.stdout.write(`${[...interfaces.values()].join("\n")}`);

/** `releases`: those that have the kind; undefined: it is a part of objects. */
function print(name: string, schema: StructSchema, releases?: Span): void {
  const isWhole = releases !== undefined;
  if (interfaces.has(name)) return;
  if (openStructs.has(name)) {
    interfaces.set(name, `${doc(schema.description, "")}export type ${name} = Record<string, unknown>;\n`);
    return;
  }
  interfaces.set(name, "");
  const members = [...schema.fields].map(([member, field]) => memberOf(member, field, isWhole));
  const type = isWhole ? "  apiVersion?: string;\n  kind?: string;\n" : "";
  const about = dated(schema.description, releases ?? {});
  interfaces.set(name, `${doc(about, "")}export interface ${name} {\n${type}${members.join("")}}\n`);
}

function memberOf(name: string, field: Field, isWhole: boolean): string {
  // Servers write the status, so an object is created without one, even where it is always printed.
  const isStatus = isWhole && name === "status";
  const isAlways = (field.presence === "required" && !isStatus) || (isWhole && name === "metadata");
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${doc(dated(field.description, field.span), "  ")}  ${key}${isAlways ? "" : "?"}: ${typeOf(field.schema)};\n`;
}

function typeOf(schema: Schema): string {
  switch (schema.type) {
    case "string":
      return schema.words?.map((word) => JSON.stringify(word)).join(" | ") ?? "string";
    case "bytes":
    case "quantity":
    case "duration":
      return "string";
    case "int32":
    case "int64":
    case "uint32":
    case "double":
      return "number";
    case "bool":
      return "boolean";
    case "intOrString":
      return "number | string";
    case "time":
    case "microTime":
      return "string | null";
    case "json": {
      const inner = schema.inner === undefined ? "unknown" : typeOf(schema.inner);
      if (schema.form === "orList") return `${inner} | ${inner}[]`;
      return schema.form === "orBool"
        ? `${inner} | boolean`
        : schema.form === "orTexts"
          ? `${inner} | string[]`
          : "unknown";
    }
    case "list": {
      const items = typeOf(schema.items);
      return items.includes(" ") ? `(${items})[]` : `${items}[]`;
    }
    case "map":
      return `Record<string, ${typeOf(schema.values)}>`;
    case "struct":
      return nameOf(schema);
  }
}

/** "core.v1.Container" is Container, and CoreV1Container if another struct has that name. */
function nameOf(schema: StructSchema): string {
  const known = chosen.get(schema);
  if (known !== undefined) return known;
  const parts = schema.name.split(".");
  const short = parts.at(-1) ?? "";
  const long = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
  let name = short;
  for (let count = 1; names.has(name) && !isSame(names.get(name), schema); count++)
    name = count === 1 ? long : `${long}${count}`;
  names.set(name, schema);
  chosen.set(schema, name);
  print(name, schema);
  return name;
}

/** The same struct may have been made several times. */
function isSame(one: StructSchema | undefined, other: StructSchema): boolean {
  return one?.name === other.name && isDeepStrictEqual([...one.fields.keys()], [...other.fields.keys()]);
}

/** Servers serve different releases, so an editor names those that have a field. */
function dated(text: string, { since, until }: Span): string {
  const from = since === undefined ? "" : `since v${since}`;
  const to = until === undefined ? "" : `until v${until}`;
  const when = [from, to].filter((part) => part !== "").join(", ");
  return when === "" ? text : `${text} (${when})`.trimStart();
}

function doc(text: string, indent: string): string {
  return text === "" ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}
