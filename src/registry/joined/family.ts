/**
 * The objects of one family in several stores, as one collection that can be listed and watched: each object is shown with its own
 * resourceVersion and an annotation that says where it is. The resourceVersions of all stores are of one row, so those of lists and
 * bookmarks are too.
 */

import { type Clock, sleep } from "../../base/clock.ts";
import { keyOrder } from "../../base/key-order.ts";
import type { Log } from "../../base/log.ts";
import { treeFrom } from "../../base/ordered-tree.ts";
import { sortInSlices } from "../../base/sort-in-slices.ts";
import { KvError } from "../../kv/contract.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import { badRequest, expired, StatusError, tooLarge } from "../../machinery/status/status.ts";
import { Change } from "../cache/change.ts";
import { Collection } from "../cache/collection.ts";
import { RepresentationCache } from "../cache/representation-cache.ts";
import { RevisionWaiters } from "../cache/revision-waiters.ts";
import { parseSelection, type Selection } from "../cache/selection.ts";
import { emptySnapshot, find } from "../cache/snapshot.ts";
import { countFrom, takeInSlices } from "../cache/walk.ts";
import { Watcher } from "../cache/watcher.ts";
import type { ListResult, RegistryListQuery } from "../contract/registry.ts";
import type { RegistryWatchQuery, Watch } from "../contract/watch.ts";
import { behind } from "../keys.ts";
import { defaultLimits } from "../limits.ts";
import { openToken, sealToken } from "../paging.ts";
import { checkMatch, hasWatchLists, parseVersion, tooLargeVersion, wantedState } from "../versions.ts";
import type { JoinedSource, PartChange } from "./contract.ts";
import { type JoinedEntry, joinedEntry, joinedPath } from "./entry.ts";

const retryMs = 200;

interface JoinedOptions {
  readonly family: Family;
  readonly source: JoinedSource;
  readonly annotation: string;
  /** Signs continue tokens. */
  readonly continueKey: Uint8Array;
  /** How many bytes of JSON all objects may have together; with more it is not served. */
  readonly bytesMax: number;
  /** What to do when there are too many. */
  readonly advice: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class JoinedFamily {
  readonly family: Family;
  readonly #options: JoinedOptions;
  readonly #collection: Collection;
  readonly #waiters: RevisionWaiters;
  readonly #representationCache = new RepresentationCache();
  readonly #stop = new AbortController();
  #revision = 0n;
  #following: Promise<void> | undefined;
  #cancelBookmarks = (): void => {};

  /** Resolves when everything has been read. Throws 413 if that is too much. */
  static async open(options: JoinedOptions): Promise<JoinedFamily> {
    const joined = new JoinedFamily(options);
    try {
      await joined.#load(undefined);
    } catch (error) {
      await joined.close();
      throw error;
    }
    joined.#following = joined.#follow();
    joined.#bookmark();
    return joined;
  }

  private constructor(options: JoinedOptions) {
    const { family, clock } = options;
    this.family = family;
    this.#options = options;
    this.#waiters = new RevisionWaiters(clock);
    const { historyMs: ageMs, historyEventsMax: changesMax, historyBytesMax: bytesMax } = defaultLimits;
    this.#collection = new Collection(family, 0n, { ageMs, changesMax, bytesMax });
  }

  get isWatched(): boolean {
    return this.#collection.watchers.size > 0;
  }

  /** It follows its source no more, and must be opened again. */
  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  async list(kind: BoundKind, query: RegistryListQuery): Promise<ListResult> {
    refuseQuestions(query);
    const wanted = wantedState(this.family, query);
    const selection = selectionOf(kind, query);
    const limit = Math.max(0, query.limit ?? 0);
    switch (wanted.state) {
      case "newest":
        await this.#catchUp(query);
        return this.#page(this.#revision, selection, query, { limit, after: "" });
      case "any":
        return this.#page(this.#revision, selection, query, { limit: 0, after: "" });
      case "notOlderThan":
        await this.#reach(wanted.version, query);
        return this.#page(this.#revision, selection, query, { limit, after: "" });
      case "exactly":
        await this.#reach(wanted.version, query);
        return this.#page(wanted.version, selection, query, { limit, after: "" });
      case "continued": {
        const { continueKey } = this.#options;
        const { revision = 0n, after } = openToken(continueKey, this.family, query.namespace, wanted.token);
        await this.#reach(revision, query);
        return this.#page(revision, selection, query, { limit, after });
      }
    }
  }

  async watch(kind: BoundKind, query: RegistryWatchQuery): Promise<Watch> {
    refuseQuestions(query);
    checkMatch(this.family, query, query.isCheckedAsList !== true);
    const selection = selectionOf(kind, query);
    const version = parseVersion(query.resourceVersion);
    const sendInitialEvents = hasWatchLists(this.family) ? query.sendInitialEvents : undefined;
    if (sendInitialEvents && version !== undefined && version > 0n) await this.#reach(version, query);
    if (version === undefined) await this.#catchUp(query);
    const isNow = version === undefined || version === 0n;
    const fromState = sendInitialEvents ?? isNow;
    const collection = this.#collection;
    const watcher = new Watcher({
      collection,
      selection,
      initial: fromState ? collection.live : undefined,
      since: fromState || isNow ? this.#revision : version,
      allowBookmarks: query.allowBookmarks,
      marksInitial: sendInitialEvents === true && query.allowBookmarks,
      reached: () => this.#revision,
      bufferBytesMax: defaultLimits.watchBufferBytesMax,
      onFault: (error) => this.#options.log.error("watch receiver failed", { family: this.family.id, error }),
    });
    const close = () => watcher.close();
    if (query.signal.aborted) close();
    else query.signal.addEventListener("abort", close, { once: true });
    return watcher;
  }

  /** Ends its watches. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancelBookmarks();
    this.#collection.close();
    this.#waiters.close();
    await this.#following;
  }

  async #page(
    revision: bigint,
    selection: Selection,
    query: RegistryListQuery,
    { limit, after }: { readonly limit: number; readonly after: string },
  ): Promise<ListResult> {
    const { live, history } = this.#collection;
    const snapshot = history.stateAt(revision, live);
    if (snapshot === undefined) throw expired(`the state of ${revision} is no longer kept; list again`);
    const from = after === "" ? "" : behind(keyOrder(after));
    const entries = await takeInSlices(snapshot, selection, from, limit > 0 ? limit : Number.POSITIVE_INFINITY);
    const last = entries.at(-1)?.path;
    const following =
      limit === 0 || entries.length < limit || last === undefined ? 0 : countFrom(snapshot, "", behind(keyOrder(last)));
    if (following === 0 || last === undefined)
      return { entries, revision, continue: "", remainingItemCount: undefined };
    return {
      entries,
      revision,
      continue: sealToken(this.#options.continueKey, this.family, query.namespace, { revision, after: last }),
      remainingItemCount: selection.restricted ? undefined : following,
    };
  }

  async #catchUp(query: Pick<RegistryListQuery, "signal">): Promise<void> {
    const { source } = this.#options;
    const newest = source.newest() ?? (await source.revision());
    await this.#waitFor(newest, undefined, query);
  }

  async #reach(version: bigint, query: Pick<RegistryListQuery, "signal">): Promise<void> {
    if (!(await this.#waitFor(version, defaultLimits.versionWaitMs, query)))
      throw tooLargeVersion(version, this.#revision);
  }

  async #waitFor(revision: bigint, timeoutMs: number | undefined, { signal }: Pick<RegistryListQuery, "signal">) {
    return revision <= this.#revision || this.#waiters.wait(revision, timeoutMs, signal);
  }

  /** `reason`: why watches end. */
  async #load(reason: Error | undefined): Promise<void> {
    const { source, family, annotation } = this.#options;
    const { signal } = this.#stop;
    const parts = { family, annotation, representationCache: this.#representationCache };
    for (;;) {
      const found: JoinedEntry[] = [];
      let bytes = 0;
      let revision: bigint;
      try {
        revision = await source.load((value) => {
          const entry = joinedEntry(parts, value);
          bytes += entry.size;
          this.#checkSize(bytes);
          found.push(entry);
        }, signal);
      } catch (error) {
        if (error instanceof KvError && error.code === "compacted" && !signal.aborted) continue;
        throw error;
      }
      const keyed = found.map((entry) => ({ key: keyOrder(entry.path), entry }));
      const sorted = await sortInSlices(keyed, (one, other) => (one.key < other.key ? -1 : 1));
      const live = {
        entries: treeFrom(
          sorted.map(({ key }) => key),
          sorted.map(({ entry }) => entry),
        ),
        indexes: emptySnapshot.indexes,
      };
      this.#revision = revision;
      this.#collection.restart({ live, bytes }, revision, reason);
      this.#waiters.wake(revision);
      return;
    }
  }

  #checkSize(bytes: number): void {
    const { bytesMax, advice } = this.#options;
    if (bytes > bytesMax)
      throw tooLarge(`${this.family.stored.resource} of all take more than ${bytesMax} bytes; ${advice}`);
  }

  async #follow(): Promise<void> {
    const { source, clock, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        for await (const { changes, revision } of source.watch(this.#revision, signal)) this.#apply(changes, revision);
      } catch (error) {
        if (signal.aborted || (error instanceof KvError && error.code === "closed")) return;
        if (error instanceof StatusError) return this.#giveUp(error);
        if (error instanceof KvError && error.code === "compacted") {
          const reason = expired("the history of the store has been compacted; list again and watch from there");
          await this.#load(reason).catch((failure: unknown) => {
            if (failure instanceof StatusError) this.#giveUp(failure);
            else log.error("listing the stores failed", { error: failure });
          });
        } else log.warn("watching the stores failed", { revision: this.#revision, error });
      }
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
  }

  /** Watches end with the reason; the next request opens it again. */
  #giveUp(reason: StatusError): void {
    this.#stop.abort();
    this.#cancelBookmarks();
    this.#collection.interrupt(this.#revision, reason);
    this.#collection.close();
    this.#waiters.close();
  }

  #apply(changes: readonly PartChange[], revision: bigint): void {
    const { family, annotation, clock } = this.#options;
    const collection = this.#collection;
    const parts = { family, annotation, representationCache: this.#representationCache };
    const made: Change[] = [];
    let isOlder = false;
    for (const change of changes) {
      const path = joinedPath(change);
      const previous = find(collection.live, path);
      const { value, at } = change;
      const entry = value === undefined ? undefined : joinedEntry(parts, { ...change, value });
      if (entry === undefined && previous === undefined) continue;
      isOlder ||= at !== change.revision;
      const one = new Change(path, at, clock.monotonic(), entry, previous);
      collection.apply(one);
      made.push(one);
    }
    if (revision > this.#revision) this.#revision = revision;
    this.#checkSize(collection.bytes);
    collection.watchers.dispatch(made);
    // A client that took the resourceVersion of an old object for that of its watch would begin again far in the past.
    if (isOlder) for (const watcher of [...collection.watchers]) watcher.bookmark();
    this.#waiters.wake(this.#revision);
  }

  #bookmark(): void {
    const { clock } = this.#options;
    this.#cancelBookmarks = clock.after(defaultLimits.bookmarkIntervalMs, () => {
      for (const watcher of [...this.#collection.watchers]) watcher.bookmark();
      this.#collection.history.trim(clock.monotonic());
      this.#bookmark();
    });
  }
}

/** Paths of this collection begin with the store, so neither a namespace nor a name leads to one. */
function selectionOf(kind: BoundKind, query: RegistryListQuery): Selection {
  const selection = parseSelection(kind, query);
  const restricted = selection.restricted || selection.namespace !== "";
  return { ...selection, namespace: "", restricted, terms: [], path: undefined };
}

function refuseQuestions({ question, atTime }: RegistryListQuery): void {
  if (question !== undefined || atTime)
    throw badRequest("where, orderBy, count, select and atTime are not for the objects of several stores");
}
