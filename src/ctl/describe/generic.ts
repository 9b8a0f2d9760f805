/** Describes an object of any kind as titles and values, for kinds without their own description. */

import { isJson, type Json, nameOf, namespaceOf, object } from "../json.ts";
import type { DescriptionWriter } from "./writer.ts";

const hidden = new Set(["managedFields", "name", "namespace", "labels", "annotations"]);

export function describeGeneric(w: DescriptionWriter, value: Json): void {
  w.field(0, "Name", nameOf(value));
  w.field(0, "Namespace", namespaceOf(value));
  w.pairs(0, "Labels", object(value, "metadata", "labels"));
  w.pairs(0, "Annotations", object(value, "metadata", "annotations"), ":");
  const { metadata } = value;
  const shown = isJson(metadata)
    ? Object.fromEntries(Object.entries(metadata).filter(([key]) => !hidden.has(key)))
    : {};
  print(w, 0, { ...value, metadata: shown });
}

function print(w: DescriptionWriter, level: number, value: Json): void {
  for (const key of Object.keys(value).sort()) printMember(w, level, titleOf(key), value[key]);
}

function printMember(w: DescriptionWriter, level: number, title: string, value: unknown): void {
  if (isJson(value)) {
    w.line(level, `${title}:`);
    print(w, level + 1, value);
  } else if (Array.isArray(value)) {
    w.line(level, `${title}:`);
    for (const item of value) {
      if (isJson(item)) print(w, level + 1, item);
      else w.line(level + 1, shown(item));
    }
  } else w.line(level, `${title}:\t${shown(value)}`);
}

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
