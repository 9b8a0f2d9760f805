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

export const pretty = query("pretty", "string", "If 'true', the answer is indented for people to read.");
export const nameInPath = (kind: string) => inPath("name", `The name of the ${kind}.`);
export const namespaceInPath = inPath("namespace", "The namespace of the objects.");
export const restOfPath = inPath("path", "The path of the request to the object behind the connection.");

const dryRun = query("dryRun", "string", "All: the request is checked in every way, but nothing is stored.");
const fieldManager = query(
  "fieldManager",
  "string",
  "The name of the manager that owns the fields this request sets; at most 128 printable characters. Default: derived from the user agent.",
);

export const listParameters: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may send BOOKMARK events. Default: false."),
  query("continue", "string", "The continue token of the previous page; the answer continues where that page ended."),
  query(
    "fieldSelector",
    "string",
    "A selector to restrict the list of returned objects by their fields. Default: everything.",
  ),
  query(
    "labelSelector",
    "string",
    "A selector to restrict the list of returned objects by their labels. Default: everything.",
  ),
  query(
    "limit",
    "integer",
    "The highest number of objects in the answer; if there are more, the answer has a continue token.",
  ),
  query("resourceVersion", "string", "How old the answer may be, or where a watch begins. Default: the newest state."),
  query("resourceVersionMatch", "string", "How resourceVersion is compared in a list: Exact or NotOlderThan."),
  query("timeoutSeconds", "integer", "Seconds after which a list or watch ends."),
  query(
    "watch",
    "boolean",
    "Watch for changes to the described resources: they are sent as a stream of ADDED, MODIFIED and DELETED events, from resourceVersion on.",
  ),
];

export const writeParameters: readonly Parameter[] = [dryRun, fieldManager];
export const patchParameters: readonly Parameter[] = [
  dryRun,
  fieldManager,
  query(
    "force",
    "boolean",
    "Whether apply takes over fields that other managers own, instead of failing with a conflict. Only for apply.",
  ),
];
export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query(
    "gracePeriodSeconds",
    "integer",
    "Seconds the object may take to terminate; 0 deletes it at once. Default: that of the kind.",
  ),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy. Whether dependents are left alone."),
  query(
    "propagationPolicy",
    "string",
    "What happens to dependents: Orphan leaves them, Background deletes them later, Foreground deletes them first.",
  ),
];

export const body = (schema: JsonSchema, required: boolean): Parameter => ({
  name: "body",
  in: "body",
  ...(required ? { required } : {}),
  schema,
});
