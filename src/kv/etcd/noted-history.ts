/**
 * The history of a store in etcd: the states are those that etcd keeps anyway, and the notes are the versions of one key, which every
 * commit with notes writes in its transaction.
 *
 *     41 put a, put history "a by ann"      42 delete a, put history "a by ben"      a watch of `history` from 41 tells both
 *
 * A reservation keeps all servers from compacting what is kept, and is the place where they agree on it.
 */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import {
  KvClosed,
  type KvEntry,
  KvError,
  type KvHistory,
  type KvHistoryBounds,
  type KvNoted,
  type KvNotedQuery,
} from "../contract.ts";
import { detailsOf, type EtcdConnection } from "./connection.ts";
import type { EtcdKeys } from "./keys.ts";
import { methods, rangeRequest, readRangeResponse, type WatchResponse } from "./messages.ts";
import { NoteLog } from "./note-log.ts";
import { decodeNoteRecord } from "./note-record.ts";
import type { HistoryFloor, Reservations } from "./reservations.ts";
import { streamWatch } from "./watch-stream.ts";

/** How often what is too old is dropped, and the reservation compared with that of other servers. */
const tickMs = 15_000;

interface EtcdHistoryOptions {
  readonly connection: EtcdConnection;
  readonly keys: EtcdKeys;
  readonly reservations: Reservations;
  readonly bounds: KvHistoryBounds;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a reader waits for the newest notes. */
  readonly timeoutMs: number;
  /** The state of a key at a revision. */
  readonly read: (key: string, revision: bigint) => Promise<KvEntry | undefined>;
}

export class EtcdHistory implements KvHistory {
  readonly #options: EtcdHistoryOptions;
  readonly #log: NoteLog;
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;
  /** Notes up to this revision are in the log. */
  #reached: bigint;
  #waiting: { readonly revision: bigint; readonly resolve: () => void }[] = [];
  /** What the reservation says. */
  #reserved: bigint;
  #cancelTick = () => {};

  static async open(options: EtcdHistoryOptions & { readonly revision: bigint }): Promise<EtcdHistory> {
    const { reservations, bounds, clock } = options;
    const found = await reservations.historyFloor();
    // Without a reservation nobody has kept a history lately: what is missing cannot be told from what never happened.
    const floor = found ?? { revision: options.revision, atMs: clock.now() };
    await reservations.reserveHistory(floor);
    return new EtcdHistory(options, new NoteLog(bounds, floor), floor);
  }

  private constructor(options: EtcdHistoryOptions, log: NoteLog, floor: HistoryFloor) {
    this.#options = options;
    this.#log = log;
    this.#reached = floor.revision;
    this.#reserved = floor.revision;
    this.#ended = this.#follow();
    this.#tick();
  }

  get oldest(): { readonly revision: bigint; readonly atMs: number } {
    this.#log.expire(this.#options.clock.now());
    return this.#log.oldest;
  }

  get bytes(): number {
    return this.#log.bytes;
  }

  async *changes(query: KvNotedQuery): AsyncIterable<readonly KvNoted[]> {
    await this.#catchUp();
    this.#log.expire(this.#options.clock.now());
    for (let begin: bigint | undefined; ; await nextTimeSlice()) {
      const { found, next } = this.#log.page(query, begin);
      if (found.length > 0) yield found;
      if (next === undefined) return;
      begin = next;
    }
  }

  async change(revision: bigint): Promise<KvNoted | undefined> {
    await this.#catchUp();
    return this.#log.change(revision);
  }

  valueAt(key: string, revision: bigint): Promise<KvEntry | undefined> {
    return this.#options.read(key, revision);
  }

  async stateBefore({ key, revision, previous }: KvNoted): Promise<KvEntry | undefined> {
    return previous === 0n ? undefined : this.valueAt(key, revision - 1n);
  }

  async stateAfter({ key, revision, deleted }: KvNoted): Promise<KvEntry | undefined> {
    return deleted ? undefined : this.valueAt(key, revision);
  }

  async revisionAt(atMs: number): Promise<bigint> {
    await this.#catchUp();
    return this.#log.revisionAt(atMs);
  }

  /** The history begins again with this state. */
  async forget(revision: bigint): Promise<void> {
    this.#log.forget(revision, this.#options.clock.now());
    await this.#reserve();
  }

  /** etcd no longer has what is older. */
  compacted(revision: bigint): void {
    this.#log.forget(revision, this.#options.clock.now());
  }

  async close(): Promise<void> {
    this.#cancelTick();
    this.#ending.abort();
    this.#wake();
    await this.#ended;
  }

  /** Waits until the log has the notes of all writes that were completed before. */
  async #catchUp(): Promise<void> {
    const { connection, keys, clock, timeoutMs } = this.#options;
    let newest: bigint;
    try {
      const answer = readRangeResponse(await connection.repeat(methods.range, rangeRequest({ key: keys.history })));
      newest = answer.kvs[0]?.modRevision ?? 0n;
    } catch (error) {
      throw new KvError("unavailable", `etcd: ${detailsOf(error)}`, { cause: error });
    }
    if (newest <= this.#reached) return;
    let cancel = () => {};
    await new Promise<void>((resolve) => {
      this.#waiting.push({ revision: newest, resolve });
      cancel = clock.after(timeoutMs, resolve);
    });
    cancel();
    if (this.#ending.signal.aborted) throw new KvClosed();
    if (newest > this.#reached) throw new KvError("unavailable", "etcd does not tell the newest notes of the history");
  }

  async #follow(): Promise<void> {
    const { connection, keys } = this.#options;
    const { signal } = this.#ending;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const create = { key: keys.history, startRevision: this.#reached + 1n };
      const end = await streamWatch(connection, create, signal, (response) => {
        attempt = 0;
        return this.#accept(response);
      });
      if (signal.aborted) return;
      if (end.how === "broken")
        connection.warnings.warn("the watch of the history broke and is resumed", { error: String(end.error) });
      await connection.pause(attempt);
    }
  }

  #accept({ compactRevision, events }: WatchResponse): "more" | "enough" {
    if (compactRevision > 0n) {
      this.#options.log.warn("etcd was compacted by another program; the history begins later", {
        revision: String(compactRevision),
      });
      this.compacted(compactRevision);
      if (compactRevision > this.#reached) this.#reached = compactRevision;
      return "enough";
    }
    for (const { kv, deleted } of events) {
      if (deleted || kv.modRevision <= this.#reached) continue; // told again
      this.#log.append(decodeNoteRecord(kv.value, kv.modRevision));
      this.#reached = kv.modRevision;
    }
    this.#wake();
    return "more";
  }

  #wake(): void {
    const isMet = ({ revision }: { revision: bigint }) => revision <= this.#reached || this.#ending.signal.aborted;
    for (const { resolve } of this.#waiting.filter(isMet)) resolve();
    this.#waiting = this.#waiting.filter((one) => !isMet(one));
  }

  #tick(): void {
    this.#cancelTick = this.#options.clock.after(tickMs, () => {
      this.agree()
        .catch((error: unknown) =>
          this.#options.log.warn("the history could not be reserved", { reason: detailsOf(error) }),
        )
        .finally(() => {
          if (!this.#ending.signal.aborted) this.#tick();
        });
    });
  }

  /** Another server may have less, or have begun again. */
  async agree(): Promise<void> {
    const { reservations } = this.#options;
    const found = await reservations.historyFloor();
    if (found !== undefined) this.#log.forget(found.revision, found.atMs);
    const { revision } = this.oldest;
    if (found === undefined || revision > this.#reserved || reservations.isHistoryDue) await this.#reserve();
  }

  async #reserve(): Promise<void> {
    const { revision, atMs } = this.oldest;
    await this.#options.reservations.reserveHistory({ revision, atMs });
    this.#reserved = revision;
  }
}
