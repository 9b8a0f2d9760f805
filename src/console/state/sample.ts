/** A first text for a new object, made of the schema of its kind: what is required, and the rest as comments. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf } from "../../client/requests/address.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { isJson, type Json } from "../server/json.ts";
import type { SchemaField, Schemas } from "../server/schemas.ts";
import { sampleBodies, sampleNames } from "./sample-bodies.ts";

/** A sample stops here, since schemas may contain themselves. */
const depthMax = 6;
/** Comments of more fields than these would hide the sample. */
const commentsMax = 30;

interface Sampled {
  /** "": that of the configuration is not known either. */
  readonly namespace: string;
  readonly vocabulary: Pick<Vocabulary, "group">;
  /** Undefined: the server does not publish them. */
  readonly schemas: Schemas | undefined;
}

export function sampleOf(resource: DiscoveredResource, { namespace, vocabulary, schemas }: Sampled): string {
  const isNamed = (id: string) => spokenId(id, vocabulary) === idOf(resource);
  const name = Object.entries(sampleNames).find(([id]) => isNamed(id))?.[1] ?? "example";
  const head = [`apiVersion: ${apiVersionOf(resource)}`, `kind: ${resource.kind}`, "metadata:", `  name: ${name}`];
  if (resource.namespaced) head.push(`  namespace: ${namespace || "default"}`);
  const bodies = Object.entries(sampleBodies);
  const body =
    bodies.find(([id]) => id.endsWith(`/${resource.version}`) && isNamed(id)) ?? bodies.find(([id]) => isNamed(id));
  if (body !== undefined) {
    const text = body[1].replaceAll("GROUP", resource.group).replaceAll("NAMESPACE", namespace || "default");
    return `${head.join("\n")}\n${text}\n`;
  }
  const schema = schemas?.of(resource);
  if (schemas === undefined || schema === undefined) return `${head.join("\n")}\n`;
  const own = schemas
    .fieldsOf(schema)
    .filter(({ name }) => !["apiVersion", "kind", "metadata", "status"].includes(name));
  const lines = own.flatMap((field) => fieldLines(field, schemas, { schema, depth: 0, indent: "" }));
  return `${[...head, ...lines].join("\n")}\n`;
}

const idOf = ({ group, resource }: DiscoveredResource): string => (group === "" ? resource : `${resource}.${group}`);

/** The id as the server calls it. */
function spokenId(id: string, vocabulary: Pick<Vocabulary, "group">): string {
  const [plain = ""] = id.split("/");
  const dot = plain.indexOf(".");
  return dot < 0 ? plain : `${plain.slice(0, dot)}.${vocabulary.group(plain.slice(dot + 1))}`;
}

interface Place {
  /** Of the object that has the field. */
  readonly schema: Json;
  readonly depth: number;
  readonly indent: string;
}

/** A field is written out if it is required, or leads to fields that are. */
function fieldLines(field: SchemaField, schemas: Schemas, { schema, depth, indent }: Place): string[] {
  const inner = schemas.at(schema, [field.name]);
  const isWritten = field.isRequired || field.name === "spec" || field.name === "rules";
  if (!isWritten || inner === undefined || depth > depthMax)
    return [`${indent}# ${field.name}: ${comment(field)}`.trimEnd()];
  const isList = inner["type"] === "array";
  const item = isList ? schemas.at(inner, [0]) : inner;
  if (item === undefined || !isJson(item["properties"])) return [`${indent}${field.name}: ${placeholder(inner)}`];
  const below = `${indent}  `;
  const fields = schemas.fieldsOf(item);
  const lines = fields
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .flatMap((one) => fieldLines(one, schemas, { schema: item, depth: depth + 1, indent: below }));
  const first = lines.findIndex((line) => !line.trimStart().startsWith("#"));
  if (first < 0) return [`${indent}${field.name}: ${isList ? "[]" : "{}"}`, ...lines.slice(0, commentsMax)];
  const shown = [...lines.slice(first), ...lines.slice(0, first)];
  const kept = shown.filter((line, at) => !line.trimStart().startsWith("#") || at < commentsMax);
  return [`${indent}${field.name}:`, ...(isList ? withDash(kept, below) : kept)];
}

/** `  name: …` becomes `- name: …`; the other lines of the item are below it. */
const withDash = (lines: readonly string[], indent: string): string[] =>
  lines.map((line, at) => (at === 0 ? `${indent.slice(2)}- ${line.slice(indent.length)}` : line));

function placeholder(schema: Json): string {
  const values = schema["enum"];
  if (Array.isArray(values) && values.length > 0) return String(values[0]);
  if (schema["default"] !== undefined) return JSON.stringify(schema["default"]);
  const examples: Readonly<Record<string, string>> = {
    integer: String(Math.max(Number(schema["minimum"] ?? 0), 0)),
    number: "0",
    boolean: "false",
    array: "[]",
    object: "{}",
  };
  return examples[String(schema["type"])] ?? '""';
}

const comment = ({ type, description, values }: SchemaField): string => {
  const [first = ""] = description.split(/(?<=\.)\s/);
  const what = values.length > 0 ? values.join(" | ") : type;
  return `${what}${first === "" ? "" : `, ${first.slice(0, 90)}`}`.replaceAll("\n", " ");
};
