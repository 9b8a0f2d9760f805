/** The one watch that a store keeps on etcd, over all its keys; each of our watches is a position in the changes it delivered. */

import type { Log } from "../../base/log.ts";
import { type KvChange, type KvEntry, KvError, type KvEvents, RevisionCompacted } from "../contract.ts";
import { Feed } from "../feed.ts";
import type { OwnWrites } from "../own-writes.ts";
import type { EtcdConnection } from "./connection.ts";
import type { EtcdKeys } from "./keys.ts";
import type { EtcdEvent, EtcdKeyValue, WatchResponse } from "./messages.ts";
import { streamWatch } from "./watch-stream.ts";

/** How much of the newest history stays in memory for watchers that are nearly up to date. */
const recentChangesMax = 10_000;
const recentBytesMax = 64 * 1024 * 1024;
/** How long to wait for an event before the progress key is written to find out that there is none. */
const quietMs = 25;
/** A watch that has not delivered the progress key this long after it was written hangs: the hub switches to another endpoint. */
const hungMs = 1_500;

interface HubOptions {
  readonly connection: EtcdConnection;
  readonly keys: EtcdKeys;
  readonly log: Log;
  /** Writes of this process that the watch has not brought back yet. */
  readonly own: OwnWrites;
  /** Where to begin: everything after this revision is delivered. */
  readonly revision: bigint;
  /** The oldest revision that is known to be readable. */
  readonly oldest: bigint;
  /** Writes the progress key, so that an event arrives even when nothing changes. */
  readonly writeProgressKey: () => Promise<void>;
  /** The hub has ended by itself, because it missed a change: the next watch needs a new one. */
  readonly onMissed: () => void;
}

export class EtcdHub {
  readonly feed: Feed;
  readonly #options: HubOptions;
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;
  /** Belongs to the current stream: aborting it makes the hub leave the stream's endpoint. */
  #hung = new AbortController();

  constructor(options: HubOptions) {
    this.#options = options;
    this.feed = new Feed({
      revision: options.revision,
      oldest: options.oldest,
      changesMax: recentChangesMax,
      bytesMax: recentBytesMax,
      older: (after, max) => this.#readOlder(after, max),
    });
    this.#ended = this.#run();
  }

  /** Makes sure that the watches reach `revision` soon, even if another program made it by writing outside our keys. */
  async reach(revision: bigint): Promise<void> {
    if (this.feed.revision >= revision) return;
    await delay(quietMs); // usually the event is already on its way
    if (this.feed.revision >= revision || this.#ending.signal.aborted) return;
    const stream = this.#hung;
    await this.#options.writeProgressKey();
    // A hung member neither sends nor closes the connection, and the connection's own pings need 15 seconds to notice.
    const { warnings } = this.#options.connection;
    setTimeout(() => {
      if (this.feed.revision >= revision || stream !== this.#hung || this.#ending.signal.aborted) return;
      warnings.warn("the etcd watch hangs; switching to another endpoint", { after: String(this.feed.revision) });
      stream.abort();
    }, hungMs).unref();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    this.feed.end();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { connection, keys } = this.#options;
    const { signal } = this.#ending;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const from = this.feed.revision;
      // Start at the revision we have, not at the next: if ours is compacted, deletes at the next may be missing as well.
      const create = { key: keys.progress, rangeEnd: keys.end, startRevision: from > 0n ? from : 1n };
      this.#hung = new AbortController();
      const accept = (response: WatchResponse): "more" => {
        this.#accept(response);
        attempt = 0;
        return "more";
      };
      const end = await streamWatch(connection, create, signal, accept, this.#hung.signal);
      if (end.how === "asked") return;
      const fields = { after: String(this.feed.revision), error: String(end.error) };
      connection.warnings.warn("the etcd watch broke and is resumed", fields);
      if (!signal.aborted) await connection.pause(attempt);
    }
  }

  #accept(response: WatchResponse): void {
    const { feed } = this;
    if (this.#ending.signal.aborted) return; // a message that was received before
    if (response.compactRevision > 0n) {
      // The changes in between are gone: watchers that have not passed them end as compacted, new ones start after them.
      feed.advance(response.compactRevision);
      feed.forget(response.compactRevision);
    }
    if (response.canceled) throw new KvError("unavailable", `etcd ended the watch: ${response.cancelReason}`);
    const { changes, revision, repeated } = readEvents(response.events, this.#options, feed.revision);
    const missed = repeated.find((at) => !feed.has(at));
    if (missed !== undefined) this.#endAsMissed(missed);
    if (revision > feed.revision) feed.append(changes, revision);
  }

  /**
   * A resumed watch repeats changes, and so does etcd after a snapshot. But one that we never saw was overtaken by a later one: a read
   * would show the state from before it, for as long as nothing else changes the key. All watchers must begin with a list.
   */
  #endAsMissed(revision: bigint): never {
    const { log, onMissed } = this.#options;
    log.error("etcd delivered a change after a later one; everything is read again", { revision: String(revision) });
    onMissed();
    this.#ending.abort();
    const error = new RevisionCompacted(revision, this.feed.revision);
    this.feed.end(error);
    throw error;
  }

  /** Changes that are no longer in memory: read from etcd, up to the first change in memory. */
  async #readOlder(after: bigint, max: number): Promise<KvEvents> {
    const { connection, keys, writeProgressKey } = this.#options;
    const { signal } = this.#ending;
    const target = this.feed.listedFrom;
    const changes: KvChange[] = [];
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      let reached = after;
      changes.length = 0;
      // If nothing has happened since, no event would ever show that: cause one.
      const timer = setTimeout(() => writeProgressKey().catch(() => {}), quietMs);
      const create = { key: keys.progress, rangeEnd: keys.end, startRevision: after > 0n ? after : 1n };
      let compacted = 0n;
      const end = await streamWatch(connection, create, signal, (response) => {
        compacted = response.compactRevision;
        if (compacted > 0n) return "enough";
        if (response.canceled) throw new KvError("unavailable", `etcd ended the watch: ${response.cancelReason}`);
        const read = readEvents(response.events, this.#options, reached);
        changes.push(...read.changes);
        reached = read.revision;
        return reached >= target || changes.length >= max ? "enough" : "more";
      });
      clearTimeout(timer);
      if (compacted > 0n) {
        this.feed.forget(compacted);
        throw new RevisionCompacted(after, compacted);
      }
      if (end.how === "asked") return { changes: [...changes], revision: reached };
      if (end.error instanceof RevisionCompacted) throw end.error;
      await connection.pause(attempt);
    }
    return { changes: [], revision: after };
  }
}

type Received = Pick<HubOptions, "keys" | "own">;

interface ReadEvents {
  readonly changes: KvChange[];
  readonly revision: bigint;
  /** Revisions of changes that are not later than `at`. */
  readonly repeated: bigint[];
}

/** The changes after `at`, and the revision they lead to. The progress key raises the revision but is not a change. */
function readEvents(events: readonly EtcdEvent[], { keys, own }: Received, at: bigint): ReadEvents {
  const changes: KvChange[] = [];
  const repeated: bigint[] = [];
  let revision = at;
  for (const event of events) {
    const { modRevision, key } = event.kv;
    const isChange = key.length > keys.progress.length;
    if (modRevision > at) revision = modRevision;
    if (!isChange) continue;
    if (modRevision > at) changes.push(toChange(event, keys, own));
    else repeated.push(modRevision);
  }
  return { changes, revision, repeated };
}

function toChange({ kv, deleted }: EtcdEvent, keys: EtcdKeys, own: OwnWrites): KvChange {
  const key = keys.decode(kv.key);
  const revision = kv.modRevision;
  return deleted ? { key, revision } : { key, revision, value: own.take(key, kv.value) ?? copyOf(kv.value) };
}

export function toEntry(kv: EtcdKeyValue, keys: EtcdKeys): KvEntry {
  return { key: keys.decode(kv.key), value: copyOf(kv.value), revision: kv.modRevision, created: kv.createRevision };
}

/** A value lives long, and a view would keep the whole answer alive with it. */
function copyOf(value: Buffer): Uint8Array {
  return new Uint8Array(value);
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
