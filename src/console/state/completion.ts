/** What could be typed at a place of a YAML text, and what the field there is, from the schemas of the server. */

import type { FieldPath, Json } from "../server/json.ts";
import type { SchemaField, Schemas } from "../server/schemas.ts";
import { documentsIn, type YamlDocument } from "./documents.ts";
import { type YamlLine, yamlLines } from "./yaml-lines.ts";
import { type YamlNode, yamlTree } from "./yaml-tree.ts";

interface Suggestion {
  readonly label: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What replaces the word that was typed. */
  readonly text: string;
}

export interface Completion {
  /** The word that was typed, as places in the text. */
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

/** What a server knows about the kind of a document. */
export interface Described {
  readonly schemas: Schemas;
  /** Undefined: the kind is not known, or not described. */
  schemaOf(document: Pick<YamlDocument, "apiVersion" | "kind">): Json | undefined;
  /** Pairs of `apiVersion` and `kind`. */
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[];
}

/** More are found by typing more. */
const suggestionsMax = 100;

export function completionAt(text: string, at: number, described: Described): Completion | undefined {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const before = text.slice(start, at);
  const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
  if (text.slice(at, end).trim() !== "") return undefined;
  // A letter stands for the word that is still to be typed, so that the line has a place.
  const isEmpty = /^\s*(-\s+)*$/.test(before);
  const lines = yamlLines(isEmpty ? `${text.slice(0, at)}x${text.slice(at)}` : text);
  const number = text.slice(0, start).split("\n").length - 1;
  const line = lines[number];
  if (line === undefined) return undefined;
  const document = documentsIn("", lines).find(({ from, to }) => number >= from && number < to);
  const root = document === undefined ? undefined : described.schemaOf(document);
  const wordAt = isEmpty ? before.length : wordStart(line, before);
  const typed = before.slice(wordAt);
  const found = suggestionsOf(line, { lines, document, root, described });
  const suggestions = matching(found, typed, before.endsWith(":") ? " " : "");
  // What is typed already needs no list of its own.
  const isNothingNew = suggestions.length === 1 && suggestions[0]?.text.trim() === typed.trim();
  return suggestions.length === 0 || isNothingNew ? undefined : { from: start + wordAt, to: at, suggestions };
}

/** Where the value of a field begins, or the word that is being typed. */
function wordStart({ role, text, value, column }: YamlLine, before: string): number {
  if (role !== "field") return column;
  return value === "" ? before.length : text.trimEnd().length - value.length;
}

interface Place {
  readonly lines: readonly YamlLine[];
  readonly document: YamlDocument | undefined;
  readonly root: Json | undefined;
  readonly described: Described;
}

function suggestionsOf(line: YamlLine, { lines, document, root, described }: Place): Suggestion[] {
  const { path } = line;
  if (line.role === "field" && path.length === 1 && document !== undefined) {
    if (path[0] === "kind") return kindsOf(described, document.apiVersion);
    if (path[0] === "apiVersion") return versionsOf(described);
  }
  if (root === undefined) return line.role === "typed" && path.length === 0 ? firstFields : [];
  const { schemas } = described;
  const schema = schemas.at(root, path);
  if (schema === undefined) return [];
  if (line.role === "field") return valuesOf(schema);
  if (line.role !== "typed" && line.role !== "item") return [];
  const present = new Set(nodeAt(yamlTree(lines, document?.from, document?.to), path)?.children.keys());
  const isList = schema["type"] === "array" && line.role === "typed";
  const inner = isList ? schemas.at(schema, [0]) : schema;
  if (inner === undefined) return [];
  const indent = " ".repeat(line.column + (isList ? 2 : 0));
  const fields = schemas.fieldsOf(inner).filter(({ name }) => isList || !present.has(name));
  if (fields.length === 0) return line.role === "item" ? valuesOf(inner) : [];
  return fields.map((field) => suggestionOf(field, indent, isList ? "- " : ""));
}

function nodeAt(root: YamlNode, path: FieldPath): YamlNode | undefined {
  let node: YamlNode | undefined = root;
  for (const step of path) node = node?.children.get(step);
  return node;
}

function suggestionOf(field: SchemaField, indent: string, prefix: string): Suggestion {
  const { name, type, description, isRequired } = field;
  const below = type.startsWith("[]")
    ? `\n${indent}- `
    : type === "object" || type.startsWith("map[")
      ? `\n${indent}  `
      : " ";
  return { label: name, type, description, isRequired, text: `${prefix}${name}:${below}` };
}

const plain = (label: string, type: string): Suggestion => ({
  label,
  type,
  description: "",
  isRequired: false,
  text: label,
});

function valuesOf(schema: Json): Suggestion[] {
  if (schema["type"] === "boolean") return [plain("true", "boolean"), plain("false", "boolean")];
  return Array.isArray(schema["enum"]) ? schema["enum"].map((value) => plain(String(value), "value")) : [];
}

const firstFields = ["apiVersion: ", "kind: ", "metadata:\n  name: "].map((text) => ({
  ...plain(text.slice(0, text.indexOf(":")), ""),
  text,
}));

const kindsOf = ({ kinds }: Described, apiVersion: string): Suggestion[] =>
  kinds
    .filter((one) => apiVersion === "" || one.apiVersion === apiVersion)
    .map(({ kind, apiVersion }) => plain(kind, apiVersion));

const versionsOf = ({ kinds }: Described): Suggestion[] =>
  [...new Set(kinds.map(({ apiVersion }) => apiVersion))].map((version) => plain(version, ""));

/** The word itself first, then what begins with it, then what has it; what is required first. */
function matching(suggestions: readonly Suggestion[], typed: string, prefix: string): Suggestion[] {
  const word = typed.trim().toLowerCase();
  const rank = ({ label, isRequired }: Suggestion): number => {
    if (label.toLowerCase() === word) return -1;
    const at = label.toLowerCase().indexOf(word);
    return at < 0 ? 4 : (at === 0 ? 0 : 2) + (isRequired ? 0 : 1);
  };
  return suggestions
    .map((suggestion) => ({ suggestion, rank: rank(suggestion) }))
    .filter(({ rank }) => rank < 4)
    .sort((a, b) => a.rank - b.rank || a.suggestion.label.localeCompare(b.suggestion.label))
    .slice(0, suggestionsMax)
    .map(({ suggestion }) => ({ ...suggestion, text: `${prefix}${suggestion.text}` }));
}

interface Documented {
  readonly path: FieldPath;
  readonly field: SchemaField;
}

/** The field of a line. */
export function documentationAt(
  documents: readonly YamlDocument[],
  line: { readonly number: number; readonly path: FieldPath },
  { schemas, schemaOf }: Described,
): Documented | undefined {
  const document = documents.find(({ from, to }) => line.number >= from && line.number < to);
  const root = document === undefined ? undefined : schemaOf(document);
  if (root === undefined) return undefined;
  // Of an item of a list, the list.
  const path = typeof line.path.at(-1) === "number" ? line.path.slice(0, -1) : line.path;
  const field = schemas.fieldAt(root, path);
  return field === undefined ? undefined : { path, field };
}
