/** The parameters that operations take. */

import { type Dated, since, valuesIn } from "../../base/release.ts";
import type { Environment } from "../schema/environment.ts";
import type { Subresource } from "../schema/kind.ts";
import { methods, type OpenApiSchema, type Parameter, type PathItem } from "./document.ts";

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
const fieldValidation = since(
  "1.25",
  query(
    "fieldValidation",
    "string",
    "What happens to unknown and duplicate fields: Ignore drops them, Warn reports them as well, Strict refuses them. Default: Warn.",
  ),
);
const fieldManager = query(
  "fieldManager",
  "string",
  "The name of the manager that owns the fields this request sets; at most 128 printable characters. Default: derived from the user agent.",
);

/** The parameters of requests, at the level of a server. */
interface Parameters {
  readonly list: readonly Parameter[];
  readonly write: readonly Parameter[];
  readonly patch: readonly Parameter[];
  readonly delete: readonly Parameter[];
  readonly deleteCollection: readonly Parameter[];
}

export function parametersOf({ level }: Pick<Environment, "level">): Parameters {
  const list = valuesIn(level, listParameters);
  const deleting = valuesIn(level, deleteParameters);
  return {
    list,
    write: valuesIn(level, writeParameters),
    patch: valuesIn(level, patchParameters),
    delete: deleting,
    deleteCollection: [...deleting, ...list.filter(({ name }) => !onlyWatches.has(name))].sort(byName),
  };
}

const byName = (a: Parameter, b: Parameter) => (a.name < b.name ? -1 : 1);
const onlyWatches: ReadonlySet<string> = new Set(["allowWatchBookmarks", "watch"]);

const listParameters: readonly (Parameter | Dated<Parameter>)[] = [
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
  since(
    "1.27",
    query("sendInitialEvents", "boolean", "Whether a watch begins with the objects that exist, and marks their end."),
  ),
  query("timeoutSeconds", "integer", "Seconds after which a list or watch ends."),
  query(
    "watch",
    "boolean",
    "Watch for changes to the described resources: they are sent as a stream of ADDED, MODIFIED and DELETED events, from resourceVersion on.",
  ),
];

const writeParameters: readonly (Parameter | Dated<Parameter>)[] = [dryRun, fieldManager, fieldValidation];
const patchParameters: readonly (Parameter | Dated<Parameter>)[] = [
  ...writeParameters,
  query(
    "force",
    "boolean",
    "Whether apply takes over fields that other managers own, instead of failing with a conflict. Only for apply.",
  ),
];
const deleteParameters: readonly (Parameter | Dated<Parameter>)[] = [
  dryRun,
  query(
    "gracePeriodSeconds",
    "integer",
    "Seconds the object may take to terminate; 0 deletes it at once. Default: that of the kind.",
  ),
  since("1.32", query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean", "Accepted, and ignored.")),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy. Whether dependents are left alone."),
  query(
    "propagationPolicy",
    "string",
    "What happens to dependents: Orphan leaves them, Background deletes them later, Foreground deletes them first.",
  ),
];

export const body = (schema: OpenApiSchema, required: boolean): Parameter => ({
  name: "body",
  in: "body",
  ...(required ? { required } : {}),
  schema,
});

const optionTypes = {
  text: "string",
  texts: "string",
  flag: "boolean",
  number: "integer",
  numbers: "integer",
} as const;

/** The options of a subresource, which clients pass in the query. */
export function optionsOf(subresource: Pick<Subresource, "name" | "connects" | "query">): readonly Parameter[] {
  const options = Object.entries({ ...subresource.connects, ...subresource.query });
  return options.map(([name, type]) => query(name, optionTypes[type], `The option ${name} of ${subresource.name}.`));
}

/** As in the reference, parameters that all operations of a path take are those of the path, in the order of names. */
export function shareParameters(item: PathItem): PathItem {
  const used = methods.filter((method) => item[method] !== undefined);
  const [first, ...others] = used.map((method) => item[method]?.parameters ?? []);
  const shared = first?.filter(
    (one) => one.in !== "body" && others.every((list) => list.some((other) => isSame(one, other))),
  );
  if (shared === undefined || shared.length === 0) return item;
  const rest: PathItem = {};
  for (const method of used) {
    const { parameters, ...operation } = item[method]!;
    const own = parameters?.filter((one) => !shared.some((other) => isSame(one, other))) ?? [];
    rest[method] = own.length === 0 ? operation : { ...operation, parameters: own };
  }
  return { ...rest, parameters: [...(item.parameters ?? []), ...shared].sort(byName) };
}

const isSame = (a: Parameter, b: Parameter) => a.name === b.name && a.in === b.in;
