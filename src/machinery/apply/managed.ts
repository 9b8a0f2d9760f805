/** The managedFields of an object: which manager owns which fields, read from its metadata and written back. */

import { isObject } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, leaf, nodeOf, union } from "./field-set.ts";
import { readToken } from "./token.ts";

type ManagerOperation = "Apply" | "Update";

/**
 * One manager of an object. An applier is one manager in all versions, an updater one in each. Code that every write runs gives
 * each manager all members in this order: copies by spread each take as long as a comparison of sets.
 */
export interface Manager {
  readonly name: string;
  readonly operation: ManagerOperation;
  /** The version in which `set` names the fields. */
  readonly apiVersion: string;
  /** The path through which it writes; absent: the object itself, or a level at which entries do not name the path. */
  readonly subresource?: string | undefined;
  /** When the manager's set last changed; undefined: not known. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The entry with exactly this content, reused when it is written. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

/** By identity (`idOf`). */
export type Managers = ReadonlyMap<string, Manager>;

/** More updaters than this are merged into one for each version, the oldest first. */
export const updatersMax = 10;
const ancientName = "ancient-changes";
/** Owns the fields that existed at the first apply to an object without managers. */
export const firstApplyName = "before-first-apply";

/** A name may have any characters, so it comes last. */
export function idOf(manager: Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">): string {
  const { name, operation, apiVersion, subresource = "" } = manager;
  return operation === "Apply" ? `Apply ${subresource} ${name}` : `Update ${apiVersion} ${subresource} ${name}`;
}

/** How the entries of a write through this path name it: since 1.22 by the path. */
export function pathIn({ family }: BoundKind, subresource: string): string | undefined {
  return subresource !== "" && family.environment.has("ownersOfSubresources") ? subresource : undefined;
}

type Entries = readonly ManagedFieldsEntry[] | null | undefined;

/** Reads managedFields that the server itself wrote. */
export function readManagers(entries: Entries): Managers {
  const managers = new Map<string, Manager>();
  for (const entry of entries ?? []) {
    // The server only writes sets of parseFields.
    const manager = managerOf(entry, (entry.fieldsV1 ?? emptySet) as FieldSet, entry);
    managers.set(idOf(manager), manager);
  }
  return managers;
}

/** Reads what a client sent; undefined: at least one entry cannot be read, so none counts. */
export function parseManagers(entries: Entries): Managers | undefined {
  const managers = new Map<string, Manager>();
  for (const entry of entries ?? []) {
    if (!entry.apiVersion) return undefined;
    if (entry.fieldsType !== "FieldsV1") return undefined;
    if (entry.operation !== "Apply" && entry.operation !== "Update") return undefined;
    const set = parseFields(entry.fieldsV1 ?? {});
    if (set === undefined) return undefined;
    const manager = managerOf(entry, set, undefined);
    managers.set(idOf(manager), manager);
  }
  return managers;
}

function managerOf(read: ManagedFieldsEntry, set: FieldSet, entry: ManagedFieldsEntry | undefined): Manager {
  return {
    name: read.manager ?? "",
    operation: read.operation === "Apply" ? "Apply" : "Update",
    apiVersion: read.apiVersion ?? "",
    subresource: read.subresource || undefined,
    time: read.time ?? undefined,
    set,
    entry,
  };
}

/** The manager with another set, and without the entry of its former set. */
export function withSet(manager: Manager, set: FieldSet): Manager {
  if (set === manager.set) return manager;
  const { name, operation, apiVersion, subresource, time } = manager;
  return { name, operation, apiVersion, subresource, time, set, entry: undefined };
}

/** A list of exactly one empty entry is a request to remove all managers. */
export function asksForReset(entries: Entries): boolean {
  const [only, ...more] = entries ?? [];
  return (
    only !== undefined &&
    more.length === 0 &&
    Object.values(only).every((value) => value === undefined || value === null || value === "")
  );
}

/** A set as a client wrote it; undefined: it is not a set. Steps of unknown forms are omitted. */
export function parseFields(value: unknown): FieldSet | undefined {
  const read = parseNode(value);
  return read === undefined ? undefined : (nodeOf(false, read.steps) ?? emptySet);
}

function parseNode(value: unknown): { readonly steps: FieldSetDraft | undefined; readonly self: boolean } | undefined {
  if (value === null) return { steps: undefined, self: true };
  if (!isObject(value)) return undefined;
  let steps: FieldSetDraft | undefined;
  let self = false;
  for (const text of Object.keys(value)) {
    if (text === ".") {
      self = true;
      continue;
    }
    const token = readToken(text);
    if (token === "malformed") return undefined;
    if (token === undefined) continue;
    const below = parseNode(value[text]);
    if (below === undefined) return undefined;
    const node = nodeOf(below.self, below.steps) ?? leaf;
    steps ??= {};
    steps[token] = node;
  }
  return { steps, self: self || steps === undefined };
}

/** The entries as they are printed: appliers before updaters, each by time, name and version. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(inPrintOrder).map((manager) => manager.entry ?? entryOf(manager));
}

/** The entry as it is printed. */
export function entryOf(manager: Manager): ManagedFieldsEntry {
  return {
    manager: manager.name,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: "FieldsV1",
    fieldsV1: manager.set,
    ...(manager.subresource === undefined ? {} : { subresource: manager.subresource }),
  };
}

function inPrintOrder(a: Manager, b: Manager): number {
  return (
    order(a.operation, b.operation) ||
    order(a.time ?? "", b.time ?? "") ||
    order(sortName(a.name), sortName(b.name)) ||
    order(a.apiVersion, b.apiVersion) ||
    order(a.subresource ?? "", b.subresource ?? "")
  );
}

/** Our own programs have another prefix in each vocabulary, and one place among other managers in both. */
const sortName = (name: string): string => name.replace(/^orch-/, "kube-");

const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/** Merges the oldest updaters of a version into one, until no more than `updatersMax` are left. */
export function capUpdaters(managers: Managers): Managers {
  if (managers.size <= updatersMax) return managers;
  const updaters = [...managers.values()].filter((manager) => manager.operation === "Update");
  let excess = updaters.length - updatersMax;
  if (excess <= 0) return managers;
  updaters.sort((a, b) => order(a.time ?? "", b.time ?? "") || order(idOf(a), idOf(b)));
  const result = new Map(managers);
  const firstOfVersion = new Map<string, Manager>();
  for (const updater of updaters) {
    if (excess <= 0) break;
    const { apiVersion } = updater;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, updater);
      continue;
    }
    const bucketId = idOf({ name: ancientName, operation: "Update", apiVersion });
    const bucket = result.get(bucketId);
    // An earlier bucket takes the updater; otherwise the first of the version becomes one. The later time is kept.
    const older = bucket === undefined || idOf(updater) === bucketId ? first : bucket;
    result.delete(idOf(older));
    result.delete(idOf(updater));
    const set = union(older.set, updater.set);
    result.set(bucketId, { name: ancientName, operation: "Update", apiVersion, time: updater.time, set });
    excess--;
  }
  return result;
}
