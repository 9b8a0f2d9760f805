/** Rows that all descriptions share: names, labels, annotations, the controller. */

import { controllerOf } from "../../operations/relations.ts";
import { entries, type Json, text } from "../json.ts";
import { moment } from "./readers.ts";
import { field, given, type Row, type Rows, values } from "./row.ts";

const longestAnnotation = 140;

/** `Labels:  a=b`, one pair a line. */
export function labels(title = "Labels", path = "metadata.labels"): Row {
  return values(title, (value) => entries(value, ...path.split(".")).map(([key, label]) => `${key}=${label}`));
}

export const annotations: Row = values("Annotations", annotationTexts);

export const name: Row = field("Name", "metadata.name");
export const names: Rows = [name, field("Namespace", "metadata.namespace")];
export const labelsAndAnnotations: Rows = [labels(), annotations];

/** How most descriptions begin. */
export const heading: Rows = [...names, ...labelsAndAnnotations];
/** The same of kinds without a namespace. */
export const clusterHeading: Rows = [name, ...labelsAndAnnotations];
export const created: Row = field("CreationTimestamp", moment("metadata.creationTimestamp"));
export const controlledBy: Row = given("Controlled By", controllerText);

/** The last-applied annotation is left out: it is long, and repeats the object. */
function annotationTexts(value: Json): string[] {
  return entries(value, "metadata", "annotations")
    .filter(([key]) => !key.endsWith("/last-applied-configuration"))
    .map(([key, annotation]) => annotationText(key, annotation));
}

/** Long annotations are printed below their key. */
function annotationText(key: string, value: string): string {
  const trimmed = value.replace(/\n$/, "");
  if (!trimmed.includes("\n") && trimmed.length + key.length + 2 <= longestAnnotation) return `${key}: ${trimmed}`;
  const lines = trimmed
    .split("\n")
    .map((line) => (line.length > longestAnnotation ? `${line.slice(0, longestAnnotation - 3)}...` : line));
  return `${key}:\n${lines.map((line) => `\t  ${line}`).join("\n")}`;
}

/** "ReplicaSet/web-1"; "" if the object has no controller. */
function controllerText(value: Json): string {
  const owner = controllerOf(value);
  return owner === undefined ? "" : `${text(owner, "kind")}/${text(owner, "name")}`;
}

/** Whether the other object controls this one. */
export function isControlledBy(value: Json, owner: Json): boolean {
  const controller = controllerOf(value);
  return controller !== undefined && text(controller, "uid") === text(owner, "metadata", "uid");
}
