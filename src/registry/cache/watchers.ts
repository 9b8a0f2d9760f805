/** The live watchers of a family, arranged so that a change reaches those it can match without checking all the others. */

import type { Change } from "./change.ts";
import type { StoredEntry } from "./entry.ts";
import type { Selection } from "./selection.ts";
import type { SelectionVerdict, Watcher } from "./watcher.ts";

/**
 * A watcher sits in one bucket, the narrowest that holds everything it selects:
 *
 *     all pods                          *
 *     pods of namespace a               namespace a
 *     pods with spec.nodeName=n1        field spec.nodeName=n1
 *     pod a/x (metadata.name=x)         field metadata.name=x
 *
 * A change is offered to the buckets of the state before it and of the state after it.
 */
export class Watchers {
  readonly #buckets = new Map<string, Set<Watcher>>();
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
    const { bucket, path } = bucketOf(watcher.selection);
    const members = this.#buckets.get(bucket) ?? new Set();
    this.#buckets.set(bucket, members.add(watcher));
    if (path !== undefined) this.#paths.set(path, (this.#paths.get(path) ?? 0) + 1);
  }

  remove(watcher: Watcher): void {
    if (!this.#all.delete(watcher)) return;
    const { bucket, path } = bucketOf(watcher.selection);
    const members = this.#buckets.get(bucket);
    members?.delete(watcher);
    if (members?.size === 0) this.#buckets.delete(bucket);
    if (path === undefined) return;
    const left = (this.#paths.get(path) ?? 0) - 1;
    if (left > 0) this.#paths.set(path, left);
    else this.#paths.delete(path);
  }

  /** Offers the changes in order, then makes each matching watcher call its receiver once. */
  dispatch(changes: readonly Change[]): void {
    if (this.#all.size === 0) return;
    // A watcher that was behind before is in the list already, or blocked.
    const concerned: Watcher[] = [];
    for (const change of changes) {
      const verdicts = new Verdicts(change);
      for (const bucket of this.#bucketsOf(change)) {
        for (const watcher of this.#buckets.get(bucket) ?? []) {
          const { isBehind } = watcher;
          if (watcher.offer(change, verdicts.of(watcher.selection)) && !isBehind) concerned.push(watcher);
        }
      }
    }
    for (const watcher of concerned) watcher.flush();
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

/** Selections with more requirements are matched once for all watchers that share them; for fewer, remembering costs more. */
const askedEachTime = 4;

/** Which selections match the object of a change, before and after it. */
class Verdicts {
  readonly #change: Change;
  #known: Map<Selection, SelectionVerdict> | undefined;

  constructor(change: Change) {
    this.#change = change;
  }

  /** Undefined: the watcher does its own matching. */
  of(selection: Selection): SelectionVerdict | undefined {
    if (selection.requirements <= askedEachTime) return undefined;
    this.#known ??= new Map();
    let verdict = this.#known.get(selection);
    if (verdict === undefined) {
      const { entry, previous } = this.#change;
      const matches = (state: StoredEntry | undefined) => state !== undefined && selection.matches(state);
      verdict = { was: matches(previous), is: matches(entry) };
      this.#known.set(selection, verdict);
    }
    return verdict;
  }
}

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
