/** Follows the store for the cache: one list at the start, then one watch, for as long as the registry is open. */

import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Kv, KvError, type KvEvents, type RangeOptions, RevisionCompacted } from "../../kv/contract.ts";
import { expired } from "../../machinery/status/status.ts";
import { objectPrefix, prefixOf } from "../keys.ts";
import type { StoreDurations } from "../metrics.ts";
import { type ReadChange, readValues } from "./read-values.ts";
import type { CacheState, WatchCache } from "./watch-cache.ts";

/** How many objects are read at once, so that loading does not block everything else. */
const pageSize = 1_000;
/** How long to wait after a failure: the first delay, and the longest. */
const retryFirstMs = 50;
const retryMaxMs = 5_000;

interface FollowOptions {
  readonly kv: Kv;
  readonly durations: StoreDurations;
  readonly cache: WatchCache;
  readonly log: Log;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent: everything is read from the store. */
  readonly initial?: InitialState | undefined;
}

export interface InitialState {
  /** The state of the cache of the server from which the store was forked. */
  readonly cache: CacheState;
  /** What the store has beyond that, as changes to it in the order of revisions. Absent: nothing. */
  readonly changes?: (() => Promise<KvEvents>) | undefined;
}

/** How many revisions from before the start are read again, so that earlier watches can continue. */
export const replayedRevisionsMax = 10_000;
/** How long that may take; otherwise the server starts without them. */
const replayMsMax = 10_000;

/** Resolves when the cache holds everything; `ended` resolves when the loop ends, and never rejects. */
export async function followStore(options: FollowOptions): Promise<{ readonly ended: Promise<void> }> {
  const { kv, cache, signal, initial } = options;
  if (initial !== undefined) {
    await adopt(options, initial);
    return { ended: follow(options) };
  }
  if (await loadPast(options, await kv.revision())) {
    const giveUp = new AbortController();
    const ended = follow({ ...options, signal: AbortSignal.any([signal, giveUp.signal]) });
    // Read while the watch is open: etcd then sends its progress, also if the newest write was to a key that is not
    // watched.
    const reached = kv
      .revision()
      .then((newest) => cache.reach(newest, replayMsMax) ?? true)
      .catch(() => false);
    if ((await Promise.race([reached, ended.then(() => false)])) || signal.aborted) return { ended };
    giveUp.abort();
    await ended;
  }
  await load(options, { reason: undefined });
  return { ended: follow(options) };
}

/** Only what the given state does not hold is read. */
async function adopt({ kv, cache }: FollowOptions, { cache: initial, changes }: InitialState): Promise<void> {
  const later = await changes?.();
  const revision = later?.revision ?? (await kv.revision());
  const rest: ReadChange[] = [];
  for (const id of initial.others) {
    const { entries } = await kv.range(prefixOf({ id }), { revision, damaged: true });
    rest.push(...(await readValues(entries, cache.reader)));
  }
  cache.adopt(initial, rest, revision);
  if (later !== undefined) cache.apply(await readValues(later.changes, cache.reader), later.revision);
}

/**
 * Loads a past state, so that the watch replays what has happened since and fills the watch history. False: the store does not
 * keep any, or the whole history is empty.
 */
async function loadPast(options: FollowOptions, newest: bigint): Promise<boolean> {
  let revision = newest - BigInt(replayedRevisionsMax);
  if (revision < 0n) revision = 0n;
  while (revision < newest) {
    try {
      await load(options, { reason: undefined, revision });
      return true;
    } catch (error) {
      // The store names its oldest revision; another server may compact further meanwhile.
      if (!(error instanceof RevisionCompacted)) throw error;
      if (error.oldest <= revision) return false;
      revision = error.oldest;
    }
  }
  return false;
}

async function follow(options: FollowOptions): Promise<void> {
  const { kv, cache, log, clock, signal } = options;
  let retryMs = retryFirstMs;
  while (!signal.aborted) {
    try {
      for await (const events of kv.watch(objectPrefix, cache.revision, signal)) {
        const read = readValues(events.changes, cache.reader);
        cache.apply(read instanceof Promise ? await read : read, events.revision);
        retryMs = retryFirstMs;
      }
      if (signal.aborted) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof KvError && error.code === "closed") return;
      if (error instanceof KvError && error.code === "compacted") {
        log.warn("the store no longer has the changes since the last one seen; listing again", {
          revision: cache.revision,
        });
        await load(options, { reason: tooFarBehind() }).catch((failure: unknown) =>
          log.error("listing the store failed", { error: failure }),
        );
      } else {
        log.warn("watching the store failed", { revision: cache.revision, error });
      }
    }
    await sleep(clock, retryMs, signal).catch(() => undefined);
    retryMs = Math.min(retryMs * 2, retryMaxMs);
  }
}

interface Wanted {
  /** Why watches end. */
  readonly reason: Error | undefined;
  /** Absent: the newest. */
  readonly revision?: bigint;
}

/** All pages are of one revision, so the cache starts with a consistent state. */
async function load(options: FollowOptions, { reason, revision: wanted }: Wanted): Promise<void> {
  const { kv, durations, cache, signal } = options;
  const entries: ReadChange[] = [];
  const read = (more: RangeOptions) =>
    durations.measure(
      "list",
      undefined,
      kv.range(objectPrefix, { limit: pageSize, uncounted: true, damaged: true, ...more }),
    );
  let page = await read(wanted === undefined ? {} : { revision: wanted });
  const { revision } = page;
  entries.push(...(await readValues(page.entries, cache.reader)));
  while (page.remaining > 0 && !signal.aborted) {
    page = await read({ revision, start: `${page.entries.at(-1)!.key}\0` });
    entries.push(...(await readValues(page.entries, cache.reader)));
  }
  if (!signal.aborted) await cache.load(entries, revision, reason);
}

const tooFarBehind = (): Error =>
  expired("the history of the store has been compacted; list again and watch from there");
