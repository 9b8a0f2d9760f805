/** Describes an object of any kind as titles and values, for kinds without their own description. */

import { isJson, type Json } from "../json.ts";
import { heading } from "./metadata.ts";
import { line, type Rows } from "./row.ts";

const hidden = new Set(["managedFields", "name", "namespace", "labels", "annotations"]);

export const anyKind: Rows = [...heading, line(allLines)];

function allLines(value: Json): string[] {
  const { metadata } = value;
  const shown = isJson(metadata) ? Object.entries(metadata).filter(([key]) => !hidden.has(key)) : [];
  return membersOf({ ...value, metadata: Object.fromEntries(shown) });
}

function membersOf(value: Json): string[] {
  return Object.keys(value)
    .sort()
    .flatMap((key) => memberLines(titleOf(key), value[key]));
}

function memberLines(title: string, value: unknown): string[] {
  if (isJson(value)) return [`${title}:`, ...indentedLines(membersOf(value))];
  if (!Array.isArray(value)) return [`${title}:\t${shown(value)}`];
  const lines = value.flatMap((item) => (isJson(item) ? membersOf(item) : [shown(item)]));
  return [`${title}:`, ...indentedLines(lines)];
}

const indentedLines = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const shown = (value: unknown): string => (value === null ? "<nil>" : String(value));

/** "creationTimestamp" -> "Creation Timestamp"; "apiVersion" -> "API Version". */
function titleOf(key: string): string {
  if (key.includes(".") || key.includes("/") || key.includes("-")) return key;
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(" ")
    .map((word) =>
      acronyms.has(word.toUpperCase()) ? word.toUpperCase() : (word[0]?.toUpperCase() ?? "") + word.slice(1),
    )
    .join(" ");
}

const acronyms = new Set(["API", "URL", "UID", "OSB", "GUID"]);
