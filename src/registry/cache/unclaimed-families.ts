/** Stored objects whose kind this server does not serve, by family: kept up to date, because the kind may be added or come back. */

import type { Clock } from "../../base/clock.ts";
import { treeVisit } from "../../base/ordered-tree.ts";
import type { FamilyId } from "../../machinery/schema/identity.ts";
import { pathInKey } from "../keys.ts";
import type { Collection } from "./collection.ts";
import type { WatchHistoryLimits } from "./history.ts";
import type { ReadChange, ReadValue } from "./read-values.ts";
import { Unclaimed, type UnclaimedObject } from "./unclaimed.ts";
import type { UnreadableObjects } from "./unreadable.ts";

interface UnclaimedFamiliesOptions {
  readonly clock: Clock;
  readonly history: WatchHistoryLimits;
  readonly unreadable: UnreadableObjects;
}

export class UnclaimedFamilies {
  readonly #options: UnclaimedFamiliesOptions;
  readonly #families = new Map<FamilyId, Unclaimed>();
  #unchangedAfter = 0n;

  constructor(options: UnclaimedFamiliesOptions) {
    this.#options = options;
  }

  /** Families that are not in this map have not changed after this revision. */
  get unchangedAfter(): bigint {
    return this.#unchangedAfter;
  }

  get ids(): readonly FamilyId[] {
    return [...this.#families.keys()];
  }

  get(id: FamilyId): Unclaimed | undefined {
    return this.#families.get(id);
  }

  delete(id: FamilyId): void {
    this.#families.delete(id);
  }

  /** Applies one change of the watch; `applied` is the newest revision that the cache has applied. */
  take(id: FamilyId, path: string, { read, revision }: Omit<ReadChange, "key">, applied: bigint): void {
    const { clock, history, unreadable } = this.#options;
    const known = this.#families.get(id);
    const members = known ?? new Unclaimed(this.#unchangedAfter, history);
    if (known === undefined) this.#families.set(id, members);
    const wasUnreadable = unreadable.delete(id, path);
    const object = read && this.#objectOf(id, path, read, revision);
    members.apply(path, { object, revision, atMs: clock.monotonic() });
    // As in a collection: neither the state nor the events can show it.
    if (wasUnreadable || read?.error !== undefined) members.interrupt(revision > applied ? revision : applied);
    if (!members.isEmpty) return;
    this.#families.delete(id);
    this.#unchangedAfter = revision > this.#unchangedAfter ? revision : this.#unchangedAfter;
  }

  /** Drops everything: the families are about to be loaded at `revision`. */
  reset(revision: bigint): void {
    this.#families.clear();
    this.#unchangedAfter = revision;
  }

  load(id: FamilyId, stored: readonly ReadChange[], revision: bigint): void {
    const members = new Unclaimed(revision, this.#options.history);
    for (const { key, read, revision: at } of stored) {
      const path = pathInKey(id, key);
      const object = read && this.#objectOf(id, path, read, at);
      if (object !== undefined) members.add(path, object);
    }
    if (!members.isEmpty) this.#families.set(id, members);
  }

  /** Takes over the objects of a kind that is no longer served. Its watches must start again when it comes back. */
  claim({ family: { id }, live }: Collection, revision: bigint): void {
    this.#unchangedAfter = revision;
    const members = new Unclaimed(revision, undefined);
    treeVisit(live.entries, "", ({ path, stored, keyId, revision: at }) => {
      members.add(path, { value: stored, keyId, revision: at });
      return true;
    });
    if (!members.isEmpty) this.#families.set(id, members);
  }

  /** Undefined: it cannot be read, and is kept as unreadable. */
  #objectOf(id: FamilyId, path: string, read: ReadValue, revision: bigint): UnclaimedObject | undefined {
    if (read.error === undefined) return { value: read.value, keyId: read.keyId, revision };
    this.#options.unreadable.set(id, path, { stored: read.stored, revision, error: read.error });
    return undefined;
  }
}
