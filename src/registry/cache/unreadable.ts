/**
 * Stored objects that are damaged or cannot be decrypted: kept in their stored form, so that requests for them fail and none is lost.
 */

import { KvError } from "../../kv/contract.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import type { FamilyId } from "../../machinery/schema/identity.ts";
import { internalError, type StatusError } from "../../machinery/status/status.ts";
import type { ObjectRef } from "../contract/entry.ts";
import { Unreadable } from "../contract/transformer.ts";
import { pathOf } from "../keys.ts";
import { resourceOf } from "../subjects.ts";
import type { Selection } from "./selection.ts";

interface UnreadableObject {
  readonly stored: Uint8Array;
  readonly revision: bigint;
  readonly error: Error;
}

/** How many of them a message names. */
const namedMax = 3;

export class UnreadableObjects {
  #families = new Map<FamilyId, Map<string, UnreadableObject>>();
  #size = 0;
  /** Called after one was added. */
  onAdded: () => void = () => {};

  get size(): number {
    return this.#size;
  }

  /** How many of them are damaged in the store: no key can read them. */
  get damaged(): number {
    let count = 0;
    for (const { object } of this.all()) if (object.error instanceof KvError) count += 1;
    return count;
  }

  /** Whether the same keys may read some of them later. */
  get mayRecover(): boolean {
    for (const { object } of this.all())
      if (object.error instanceof Unreadable && object.error.isTransient) return true;
    return false;
  }

  get(family: FamilyId, path: string): UnreadableObject | undefined {
    return this.#size === 0 ? undefined : this.#families.get(family)?.get(path);
  }

  set(family: FamilyId, path: string, object: UnreadableObject): void {
    this.delete(family, path);
    const members = this.#families.get(family) ?? new Map<string, UnreadableObject>();
    this.#families.set(family, members.set(path, object));
    this.#size += 1;
    this.onAdded();
  }

  /** Whether it was there. */
  delete(family: FamilyId, path: string): boolean {
    const members = this.#families.get(family);
    if (members?.delete(path) !== true) return false;
    if (members.size === 0) this.#families.delete(family);
    this.#size -= 1;
    return true;
  }

  /** Forgets those of a family. */
  forget(family: FamilyId): void {
    this.#size -= this.#families.get(family)?.size ?? 0;
    this.#families.delete(family);
  }

  /** Holds from now on what `other` holds, which is not used any more. */
  replaceBy(other: UnreadableObjects): void {
    this.#families = other.#families;
    this.#size = other.#size;
    if (this.#size > 0) this.onAdded();
  }

  *all(): Generator<{ family: FamilyId; path: string; object: UnreadableObject }> {
    for (const [family, members] of this.#families) {
      for (const [path, object] of members) yield { family, path, object };
    }
  }

  /** Throws if `ref` is one of them: it exists, so it must not be called missing. */
  refuse(kind: BoundKind, ref: ObjectRef): void {
    const found = this.get(kind.family.id, pathOf(kind.family, ref));
    if (found !== undefined) throw unreadableError(kind, [[pathOf(kind.family, ref), found]]);
  }

  /** Throws if a list or a watch could select one of them: without it, clients would take it for deleted. */
  refuseSelected(kind: BoundKind, selection: Selection): void {
    if (this.#size === 0) return;
    const found = [...(this.#families.get(kind.family.id) ?? [])].filter(([path]) =>
      mayMatch(kind.family, selection, path),
    );
    if (found.length > 0) throw unreadableError(kind, found);
  }
}

/** Labels and other fields are not known, so only names decide. */
function mayMatch(family: Family, { path: only, namespace }: Selection, path: string): boolean {
  if (only !== undefined) return path === only;
  return !family.namespaced || namespace === "" || path.startsWith(`${namespace}/`);
}

/** As v1.21 answers when decryption fails, but it names the object. */
export function unreadableError(
  kind: BoundKind,
  objects: readonly (readonly [path: string, object: Pick<UnreadableObject, "error">])[],
): StatusError {
  const { kind: resource, group } = resourceOf(kind);
  const of = group ? `${resource}.${group}` : resource;
  const named = objects
    .slice(0, namedMax)
    .map(([path, { error }]) => `${of} "${path}" cannot be read: ${error.message}`);
  const more = objects.length - named.length;
  return internalError([...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; "), objects[0]?.[1].error);
}
