/** The live watchers of a family, arranged so that a change reaches those it can match without checking all the others. */

import type { DeliveryPace } from "../contract/watch.ts";
import type { Change, ObjectEvent } from "./change.ts";
import type { StoredEntry } from "./entry.ts";
import type { Selection } from "./selection.ts";
import { eventFor, type Watcher } from "./watcher.ts";
import { WatcherGroup } from "./watcher-group.ts";

/** Watchers that select the same objects: a change is matched once for all of them, and they share its event. */
interface Selecting {
  readonly selection: Selection;
  readonly groups: Map<DeliveryPace | undefined, WatcherGroup>;
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
 * A change is offered to the buckets of the state before it and of the state after it, there to each selection.
 */
export class Watchers {
  readonly #buckets = new Map<string, Map<Selection | typeof unrestricted, Selecting>>();
  /** Field paths that buckets use, with how many watchers use them. */
  readonly #paths = new Map<string, number>();
  readonly #all = new Map<Watcher, WatcherGroup>();
  /** Those with a condition look at changes themselves, in time slices: a thousand conditions would take a second for one change. */
  readonly #waiting = new Set<Watcher>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<Watcher> {
    return this.#all.keys();
  }

  anyBehind(): boolean {
    for (const [watcher, group] of this.#all) if (watcher.isBehind || group.isGathering) return true;
    return false;
  }

  add(watcher: Watcher): void {
    const { selection, pace } = watcher;
    if (selection.hasCondition) {
      if (!this.#all.has(watcher)) this.#all.set(watcher, new WatcherGroup(pace));
      this.#waiting.add(watcher);
      return;
    }
    const { bucket, path } = bucketOf(selection);
    const inBucket = this.#buckets.get(bucket) ?? new Map();
    this.#buckets.set(bucket, inBucket);
    const selecting: Selecting = inBucket.get(selectionKey(selection)) ?? { selection, groups: new Map() };
    inBucket.set(selectionKey(selection), selecting);
    const group = selecting.groups.get(pace) ?? new WatcherGroup(pace);
    selecting.groups.set(pace, group);
    group.members.add(watcher);
    this.#all.set(watcher, group);
    if (path !== undefined) this.#paths.set(path, (this.#paths.get(path) ?? 0) + 1);
  }

  remove(watcher: Watcher): void {
    const group = this.#all.get(watcher);
    if (group === undefined) return;
    this.#all.delete(watcher);
    if (this.#waiting.delete(watcher)) return;
    group.members.delete(watcher);
    const { selection } = watcher;
    const { bucket, path } = bucketOf(selection);
    const inBucket = this.#buckets.get(bucket);
    const groups = inBucket?.get(selectionKey(selection))?.groups;
    if (group.members.size === 0) groups?.delete(group.pace);
    if (groups?.size === 0) inBucket?.delete(selectionKey(selection));
    if (inBucket?.size === 0) this.#buckets.delete(bucket);
    if (path === undefined) return;
    const left = (this.#paths.get(path) ?? 0) - 1;
    if (left > 0) this.#paths.set(path, left);
    else this.#paths.delete(path);
  }

  /** Calls the watcher, and those that wait with it, with what was gathered. */
  flush(watcher: Watcher): void {
    this.#all.get(watcher)?.flush();
  }

  /** Matches the changes in order, then makes each concerned watcher call its receiver once, if its pace allows. */
  dispatch(changes: readonly Change[]): void {
    if (this.#all.size === 0) return;
    const concerned = new Map<Selecting, ObjectEvent[]>();
    for (const change of changes) {
      for (const bucket of this.#bucketsOf(change)) {
        for (const selecting of this.#buckets.get(bucket)?.values() ?? []) {
          const event = eventFor(change, selecting.selection);
          if (event === undefined) continue;
          const batch = concerned.get(selecting);
          if (batch === undefined) concerned.set(selecting, [event]);
          else batch.push(event);
        }
      }
    }
    for (const [{ groups }, batch] of concerned) for (const group of groups.values()) group.take(batch);
    for (const watcher of this.#waiting) watcher.wake();
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

const selectionKey = (selection: Selection) => (selection.restricted ? selection : unrestricted);

const fieldBucket = (path: string, entry: StoredEntry): string => `field ${path}=${entry.field(path)}`;

function bucketOf({ namespace, terms }: Selection): { bucket: string; path: string | undefined } {
  // An object with any value of a term may match, but it is in the bucket of its own value alone.
  const single = terms.filter(({ index, values }) => index.startsWith("field ") && values.length === 1);
  const term = single.find(({ index }) => index === "field metadata.name") ?? single[0];
  if (term !== undefined) {
    const path = term.index.slice("field ".length);
    return { bucket: `field ${path}=${term.values[0]}`, path };
  }
  return { bucket: namespace === "" ? "*" : `namespace ${namespace}`, path: undefined };
}
