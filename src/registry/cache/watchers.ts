/** The live watchers of a family, arranged so that a change reaches those it can match without checking all the others. */

import type { WatcherEvent } from "../contract/watch.ts";
import type { Change } from "./change.ts";
import type { StoredEntry } from "./entry.ts";
import type { Selection } from "./selection.ts";
import { eventFor, type Watcher } from "./watcher.ts";

/** Watchers that select the same objects: a change is matched once for all of them, and they share its event. */
interface Group {
  readonly selection: Selection;
  readonly members: Set<Watcher>;
}

/** Stands for all selections without requirements, of which each watcher has its own: in one bucket they select the same. */
const unrestricted = Symbol("unrestricted");

/**
 * A watcher sits in one bucket, the narrowest that holds everything it selects:
 *
 *     all pods                          *
 *     pods of namespace a               namespace a
 *     pods with spec.nodeName=n1        field spec.nodeName=n1
 *     pod a/x (metadata.name=x)         field metadata.name=x
 *
 * A change is offered to the buckets of the state before it and of the state after it, there to each group.
 */
export class Watchers {
  readonly #buckets = new Map<string, Map<Selection | typeof unrestricted, Group>>();
  /** Field paths that buckets use, with how many watchers use them. */
  readonly #paths = new Map<string, number>();
  readonly #all = new Set<Watcher>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<Watcher> {
    return this.#all[Symbol.iterator]();
  }

  anyBehind(): boolean {
    for (const watcher of this.#all) if (watcher.isBehind) return true;
    return false;
  }

  add(watcher: Watcher): void {
    this.#all.add(watcher);
    const { selection } = watcher;
    const { bucket, path } = bucketOf(selection);
    const groups = this.#buckets.get(bucket) ?? new Map();
    this.#buckets.set(bucket, groups);
    const group = groups.get(groupKey(selection)) ?? { selection, members: new Set() };
    groups.set(groupKey(selection), group);
    group.members.add(watcher);
    if (path !== undefined) this.#paths.set(path, (this.#paths.get(path) ?? 0) + 1);
  }

  remove(watcher: Watcher): void {
    if (!this.#all.delete(watcher)) return;
    const { selection } = watcher;
    const { bucket, path } = bucketOf(selection);
    const groups = this.#buckets.get(bucket);
    const group = groups?.get(groupKey(selection));
    group?.members.delete(watcher);
    if (group?.members.size === 0) groups?.delete(groupKey(selection));
    if (groups?.size === 0) this.#buckets.delete(bucket);
    if (path === undefined) return;
    const left = (this.#paths.get(path) ?? 0) - 1;
    if (left > 0) this.#paths.set(path, left);
    else this.#paths.delete(path);
  }

  /** Matches the changes in order, then makes each concerned watcher call its receiver once. */
  dispatch(changes: readonly Change[]): void {
    if (this.#all.size === 0) return;
    const concerned = new Map<Group, WatcherEvent[]>();
    for (const change of changes) {
      for (const bucket of this.#bucketsOf(change)) {
        for (const group of this.#buckets.get(bucket)?.values() ?? []) {
          const event = eventFor(change, group.selection);
          if (event === undefined) continue;
          const batch = concerned.get(group);
          if (batch === undefined) concerned.set(group, [event]);
          else batch.push(event);
        }
      }
    }
    for (const [{ members }, batch] of concerned) for (const watcher of members) watcher.take(batch);
  }

  #bucketsOf({ entry, previous }: Change): Set<string> {
    const buckets = new Set(["*"]);
    for (const state of [entry, previous]) {
      if (state === undefined) continue;
      buckets.add(`namespace ${state.namespace}`);
      for (const path of this.#paths.keys()) buckets.add(fieldBucket(path, state));
    }
    return buckets;
  }
}

const groupKey = (selection: Selection) => (selection.restricted ? selection : unrestricted);

const fieldBucket = (path: string, entry: StoredEntry): string => `field ${path}=${entry.field(path)}`;

function bucketOf({ namespace, terms }: Selection): { bucket: string; path: string | undefined } {
  const byName = terms.find(({ index }) => index === "field metadata.name");
  const term = byName ?? terms.find(({ index }) => index.startsWith("field "));
  if (term !== undefined) {
    const path = term.index.slice("field ".length);
    return { bucket: `field ${path}=${term.values[0]}`, path };
  }
  return { bucket: namespace === "" ? "*" : `namespace ${namespace}`, path: undefined };
}
