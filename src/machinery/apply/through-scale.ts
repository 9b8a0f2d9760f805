/**
 * Ownership of the one field of an object that its scale path shows: an apply of a Scale sees the managers of that field as managers of
 * the Scale, and its result becomes theirs again.
 */

import type { BoundKind } from "../schema/catalog.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import { difference, type FieldSet, intersection, isEmpty, setOfPaths, union } from "./field-set.ts";
import { type Manager, type Managers, readManagers, writeManagers } from "./managed.ts";
import { fieldToken } from "./token.ts";
import { inVersion } from "./versions.ts";

type Entries = readonly ManagedFieldsEntry[] | undefined;

const inScale: FieldSet = setOfPaths([["f:spec", "f:replicas"]]);

/** The field that the path shows as the replicas of a Scale; undefined: the version does not have the path. */
function shownField(kind: BoundKind | undefined, path: string): FieldSet | undefined {
  const replicas = kind?.subresources.get(path)?.replicas;
  return replicas === undefined ? undefined : setOfPaths([replicas.map(fieldToken)]);
}

const owns = (manager: Manager, field: FieldSet): boolean => !isEmpty(intersection(manager.set, field));

/** The managers of the field, as those of the Scale. */
export function scaleManagers(kind: BoundKind, path: string, scale: BoundKind, parent: Entries): Entries {
  const managers = new Map<string, Manager>();
  for (const manager of readManagers(parent).values()) {
    const field = shownField(inVersion(kind, manager.apiVersion), path);
    if (field === undefined || !owns(manager, field)) continue;
    const { entry: _, ...rest } = manager;
    managers.set(nameOf(manager), { ...rest, apiVersion: scale.apiVersion, set: inScale });
  }
  return writeManagers(managers);
}

/** The managers of the parent after an apply that left the Scale with these. A new manager has no time, as in the reference. */
export function parentManagers(kind: BoundKind, path: string, parent: Entries, ofScale: Entries): Entries {
  const field = shownField(kind, path);
  if (field === undefined) return parent;
  const owners = new Map<string, Manager>();
  for (const manager of readManagers(ofScale).values()) {
    if (owns(manager, inScale)) owners.set(nameOf(manager), manager);
  }
  const result = new Map<string, Manager>();
  for (const [id, manager] of readManagers(parent)) {
    const kept = afterApply(kind, path, manager, owners);
    if (kept !== undefined) result.set(id, kept);
  }
  const { apiVersion } = kind;
  for (const [name, { entry: _, ...owner }] of owners) {
    if (!isIn(result, name)) result.set(name, { ...owner, apiVersion, time: undefined, set: field });
  }
  return writeManagers(result);
}

/** A manager of the parent; undefined: it owns nothing any more, or its version no longer exists. */
function afterApply(
  kind: BoundKind,
  path: string,
  manager: Manager,
  owners: ReadonlyMap<string, Manager>,
): Manager | undefined {
  const version = inVersion(kind, manager.apiVersion);
  if (version === undefined) return undefined;
  const field = shownField(version, path);
  if (field === undefined) return manager;
  const isOwner = owners.has(nameOf(manager));
  if (isOwner === owns(manager, field)) return manager;
  const { entry: _, ...rest } = manager;
  const set = isOwner ? union(manager.set, field) : difference(manager.set, field);
  return isEmpty(set) ? undefined : { ...rest, set };
}

/** The same manager has another version in a Scale. */
const nameOf = ({ name, operation, subresource = "" }: Manager): string => `${operation} ${subresource} ${name}`;

function isIn(managers: Managers, name: string): boolean {
  for (const manager of managers.values()) if (nameOf(manager) === name) return true;
  return false;
}
