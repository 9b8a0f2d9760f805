/** What is wrong with a text, at the line where it is: as far as the schema tells, and what the server has said. */

import { StatusError } from "../../machinery/status/status.ts";
import type { Json } from "../server/json.ts";
import type { Schemas } from "../server/schemas.ts";
import type { YamlDocument } from "./documents.ts";
import { findNode, type YamlNode } from "./yaml-tree.ts";

export interface Problem {
  /** Undefined: it is about the whole text. */
  readonly line: number | undefined;
  readonly message: string;
}

/** More of a text are not shown. */
export const problemsMax = 50;

/** Fields that the schema does not have, required ones that are missing, and values of another type. */
export function schemaProblems({ tree }: YamlDocument, schemas: Schemas, root: Json): Problem[] {
  const problems: Problem[] = [];
  const look = (node: YamlNode): void => {
    if (problems.length >= problemsMax) return;
    const schema = schemas.at(root, node.path);
    if (schema === undefined) return;
    const wrong = wrongType(schema, node);
    if (wrong !== undefined) problems.push({ line: node.from, message: wrong });
    const { properties, additionalProperties, required } = schema;
    const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
    const isClosed = names.length > 0 && additionalProperties === undefined && !keepsUnknown(schema);
    for (const child of node.children.values()) {
      const step = child.path.at(-1);
      if (typeof step === "string" && isClosed && !names.includes(step))
        problems.push({ line: child.from, message: `unknown field "${step}"` });
      else look(child);
    }
    const isObject = node.children.size > 0 && typeof node.children.keys().next().value === "string";
    if (isObject && Array.isArray(required))
      for (const name of required.map(String))
        if (!node.children.has(name)) problems.push({ line: node.from, message: `missing required field "${name}"` });
  };
  look(tree);
  return problems;
}

const keepsUnknown = (schema: Json): boolean =>
  Object.keys(schema).some((key) => key.endsWith("preserve-unknown-fields"));

function wrongType(schema: Json, { value, children, path }: YamlNode): string | undefined {
  const plain = value.replace(/(^|\s)#.*$/, "").trim();
  if (path.length === 0 || plain === "" || plain === "null" || plain === "~" || /^[&*!|>]/.test(plain))
    return undefined;
  const isFlow = /^[[{]/.test(plain);
  const type = schema["type"];
  if (type === "array" && !plain.startsWith("[")) return "must be a list";
  if (type === "object" && schema["properties"] !== undefined && !plain.startsWith("{")) return "must be an object";
  if (isFlow || children.size > 0) return undefined;
  if (type === "integer" && !/^[-+]?[\d_]+$|^0[xo]/.test(plain)) return "must be a whole number";
  if (type === "boolean" && !/^(true|false|yes|no|on|off|y|n)$/i.test(plain)) return "must be true or false";
  return undefined;
}

/** What a server has against a document. */
export function serverProblems(document: YamlDocument, error: unknown): Problem[] {
  const message = error instanceof Error ? error.message : String(error);
  const causes = error instanceof StatusError ? (error.details?.causes ?? []) : [];
  const told = causes.slice(0, problemsMax).map((cause) => {
    const field = cause.field ?? "";
    const found = findNode(document.tree, field);
    // A field that is missing is shown where it would be.
    const line = field === "" || found.node.parent === undefined ? undefined : found.node.from;
    return { line, message: found.isExact ? (cause.message ?? "") : `${field}: ${cause.message ?? ""}` };
  });
  if (told.length > 0) return told;
  const line = /\bline (\d+)\b/.exec(message)?.[1];
  if (line !== undefined) return [{ line: document.from + Number(line) - 1, message }];
  const field = /: ([\w.-]+(?:[.[][^\s:]+)+): /.exec(message)?.[1] ?? "";
  const { node, isExact } = findNode(document.tree, field);
  return [{ line: isExact && node.parent !== undefined ? node.from : undefined, message }];
}
