/** The parameters that operations take. */

import type { JsonSchema, Parameter } from "./document.ts";

const query = (name: string, type: string, description: string): Parameter => ({
  name,
  in: "query",
  description,
  type,
  uniqueItems: true,
});
const inPath = (name: string, description: string): Parameter => ({
  name,
  in: "path",
  description,
  required: true,
  type: "string",
  uniqueItems: true,
});

export const pretty = query("pretty", "string", "If 'true', the answer is indented.");
export const nameInPath = (kind: string) => inPath("name", `The name of the ${kind}.`);
export const namespaceInPath = inPath("namespace", "The namespace of the objects.");
export const restOfPath = inPath("path", "The rest of the path, for whoever is connected to.");

const dryRun = query("dryRun", "string", "All: do everything but keep the change.");
const fieldManager = query("fieldManager", "string", "Who owns the fields that this request sets.");

export const listParameters: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks."),
  query("continue", "string", "The token of the page before, to go on where it ended."),
  query("fieldSelector", "string", "Only objects whose fields match."),
  query("labelSelector", "string", "Only objects whose labels match."),
  query("limit", "integer", "At most so many objects; a token for the rest comes with them."),
  query("resourceVersion", "string", "How old the answer may be, or where a watch begins."),
  query("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."),
  query("timeoutSeconds", "integer", "When the request ends at the latest."),
  query("watch", "boolean", "Whether changes are sent as they happen."),
];

export const writeParameters: readonly Parameter[] = [dryRun, fieldManager];
export const patchParameters: readonly Parameter[] = [
  dryRun,
  fieldManager,
  query("force", "boolean", "Whether apply takes fields from their owners."),
];
export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "How long the object may take to end; 0: now."),
  query("orphanDependents", "boolean", "Replaced by propagationPolicy."),
  query("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
];

export const body = (schema: JsonSchema, required: boolean): Parameter => ({
  name: "body",
  in: "body",
  ...(required ? { required } : {}),
  schema,
});
