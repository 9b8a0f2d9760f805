/** The store in an etcd v3 cluster: for several servers, and for data that outlives a machine. */

import { type Clock, systemClock } from "../../base/clock.ts";
import { grpcCode } from "../../base/grpc/status.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { MessageWriter } from "../../base/protobuf-message.ts";
import {
  type Kv,
  KvClosed,
  type KvEntry,
  KvError,
  type KvEvents,
  type KvHistory,
  type KvHistoryBounds,
  type KvPin,
  type KvRange,
  type KvSize,
  type KvWrite,
  type RangeOptions,
  RevisionCompacted,
  RevisionConflict,
  RevisionUnknown,
} from "../contract.ts";
import { checkKey, checkPrefix, checkValue, checkWrites } from "../limits.ts";
import { OwnWrites } from "../own-writes.ts";
import { SharedQuestion } from "../shared-question.ts";
import { CompareAndSwap } from "./compare-and-swap.ts";
import { type ConnectionOptions, codeOf, detailsOf, EtcdConnection, type EtcdTls } from "./connection.ts";
import { EtcdHub, toEntry } from "./hub.ts";
import { EtcdKeys } from "./keys.ts";
import { compactionRequest, methods, rangeRequest, readRangeResponse, readStatusSize, txnRequest } from "./messages.ts";
import { EtcdHistory } from "./noted-history.ts";
import { Reservations } from "./reservations.ts";
import { streamWatch } from "./watch-stream.ts";

export interface EtcdKvOptions {
  /** "https://host:2379", one or more members of the same cluster. */
  readonly endpoints: readonly string[];
  /** All keys lie below it; the default is "/registry". */
  readonly prefix?: string;
  readonly tls?: EtcdTls;
  readonly username?: string;
  readonly password?: string;
  /** Allows http:// endpoints. Anyone who can reach etcd then reads and writes everything: for tests only. */
  readonly allowPlaintext?: boolean;
  /** How long opening may take; the default is 5 s. */
  readonly dialTimeoutMs?: number;
  /** How long one request is tried, on one endpoint after the other; the default is 10 s. */
  readonly requestTimeoutMs?: number;
  readonly log?: Log;
  readonly clock?: Clock;
  /** How much history is kept; absent, or a bound of 0: none, and notes are ignored. */
  readonly noted?: KvHistoryBounds | undefined;
}

/** etcd takes 128 operations in a transaction (its --max-txn-ops), and one of them tells us the outcome. */
export const etcdCommitWritesMax = 127;
/** And one more keeps the notes. */
export const etcdNotedWritesMax = 126;
/** How many entries one answer of etcd carries; a longer range is read in several, all of one revision. */
const pageEntries = 5_000;

/** Connects and reads the revision, so that wrong addresses and certificates fail here and not in the first request. */
export async function openEtcdKv(options: EtcdKvOptions): Promise<Kv> {
  const resolved: ConnectionOptions = {
    ...options,
    dialTimeoutMs: options.dialTimeoutMs ?? 5_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLog,
  };
  const connection = new EtcdConnection(resolved);
  const keys = new EtcdKeys(options.prefix ?? "/registry");
  try {
    const probe = rangeRequest({ key: keys.progress, countOnly: true });
    await connection.repeat(methods.range, probe, resolved.dialTimeoutMs);
  } catch (error) {
    connection.close();
    const where = options.endpoints.join(", ");
    const message = `etcd cannot be reached at ${where}: ${detailsOf(error)}; start it, or name its servers with --etcd-servers`;
    throw new KvError("unavailable", message, { cause: error });
  }
  const { noted } = options;
  const kv = new EtcdKv(connection, keys, { ...resolved, keepsNotes: noted !== undefined && noted.bytesMax > 0 });
  try {
    if (noted !== undefined && noted.bytesMax > 0) await kv.keepHistory(noted);
    return kv;
  } catch (error) {
    await kv.close();
    throw new KvError("unavailable", `etcd: the history cannot be reserved: ${detailsOf(error)}`, { cause: error });
  }
}

class EtcdKv implements Kv {
  readonly #connection: EtcdConnection;
  readonly #keys: EtcdKeys;
  readonly #options: ConnectionOptions & { readonly keepsNotes: boolean };
  /** Undefined: none is kept. */
  #history: EtcdHistory | undefined;
  readonly #swaps: CompareAndSwap;
  readonly #reservations: Reservations;
  /** Every consistent read of a client needs the revision, so they share the request. */
  readonly #newest: SharedQuestion<bigint>;
  readonly #own = new OwnWrites();
  #hub: Promise<EtcdHub> | undefined;
  #progress: Promise<void> | undefined;
  /** History before this is known to be compacted. */
  #oldest = 0n;
  #closing: Promise<void> | undefined;
  readonly #writing = new Set<Promise<unknown>>();

  constructor(
    connection: EtcdConnection,
    keys: EtcdKeys,
    options: ConnectionOptions & { readonly keepsNotes: boolean },
  ) {
    this.#connection = connection;
    this.#keys = keys;
    this.#options = options;
    this.#newest = new SharedQuestion(() => this.#askNewest(), options.clock);
    this.#swaps = new CompareAndSwap(connection, keys, options, (error) => this.#translate(error));
    this.#reservations = new Reservations(connection, keys.reservations, options.clock);
  }

  async keepHistory(bounds: KvHistoryBounds): Promise<void> {
    const { clock, log, requestTimeoutMs } = this.#options;
    this.#history = await EtcdHistory.open({
      connection: this.#connection,
      keys: this.#keys,
      reservations: this.#reservations,
      bounds,
      clock,
      log,
      timeoutMs: requestTimeoutMs,
      revision: await this.#currentRevision(),
      read: async (key, revision) => {
        const { kvs } = await this.#range({ key: this.#keys.encode(key), revision: revision < 1n ? 1n : revision });
        return kvs[0] && toEntry(kvs[0], this.#keys);
      },
    });
  }

  history(): KvHistory | undefined {
    return this.#history;
  }

  async forgetHistory(): Promise<void> {
    this.#assertOpen();
    const revision = await this.#currentRevision();
    if (this.#history !== undefined) await this.#history.forget(revision);
    else if ((await this.#reservations.historyFloor()) !== undefined)
      await this.#reservations.reserveHistory({ revision, atMs: this.#options.clock.now() });
    await this.compact(revision);
  }

  async revision(): Promise<bigint> {
    this.#assertOpen();
    return this.#newest.answer();
  }

  /** Once for all callers of a question. */
  async #askNewest(): Promise<bigint> {
    const revision = await this.#currentRevision();
    // The callers will wait for a watch to reach this revision.
    const hub = await this.#hub?.catch(() => undefined);
    hub?.reach(revision).catch(() => {});
    return revision;
  }

  async sizes(): Promise<readonly KvSize[]> {
    this.#assertOpen();
    const answers = await this.#connection.each(methods.status, new MessageWriter());
    return answers.map(({ endpoint, answer }) => ({ endpoint, bytes: readStatusSize(answer) }));
  }

  async get(key: string): Promise<KvEntry | undefined> {
    this.#assertOpen();
    checkKey(key);
    const { kvs } = await this.#range({ key: this.#keys.encode(key) });
    return kvs[0] && toEntry(kvs[0], this.#keys);
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<KvRange> {
    this.#assertOpen();
    checkPrefix(prefix);
    if (options.start !== undefined) checkPrefix(options.start);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const bounds = this.#keys.range(prefix, options.start);
    // etcd reads zero as "now"; nothing was written before revision 1.
    let at = options.revision === undefined ? 0n : options.revision < 1n ? 1n : options.revision;
    if (Buffer.compare(bounds.key, bounds.rangeEnd) >= 0) {
      // etcd refuses empty bounds, but it still has to say whether the revision can be read.
      const { revision } = await this.#range({ key: this.#keys.progress, countOnly: true, revision: at });
      return { entries: [], revision: options.revision ?? revision, remaining: 0 };
    }
    let { key } = bounds;
    const entries: KvEntry[] = [];
    for (;;) {
      const size = Math.min(pageEntries, limit - entries.length);
      const page = await this.#range({ key, rangeEnd: bounds.rangeEnd, limit: size || 1, revision: at });
      at = at === 0n ? page.revision : at;
      const kvs = size === 0 ? [] : page.kvs;
      for (const kv of kvs) entries.push(toEntry(kv, this.#keys));
      const remaining = page.count - kvs.length;
      if (remaining === 0 || entries.length >= limit) {
        return { entries, revision: options.revision ?? at, remaining };
      }
      key = Buffer.concat([kvs.at(-1)!.key, Buffer.of(0)]);
    }
  }

  async put(key: string, value: Uint8Array, expected: bigint, note?: Uint8Array): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    checkValue(value);
    return this.#swap([{ key, value, expected, note }]);
  }

  async delete(key: string, expected: bigint, note?: Uint8Array): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    // etcd reports success for deleting a missing key, but without a revision.
    if (expected <= 0n) throw new RevisionConflict(key, expected, (await this.get(key))?.revision);
    return this.#swap([{ key, expected, note }]);
  }

  async commit(writes: readonly KvWrite[]): Promise<readonly bigint[]> {
    this.#assertOpen();
    checkWrites(writes, this.#history === undefined ? etcdCommitWritesMax : etcdNotedWritesMax);
    const missing = writes.find(({ value, keeps, expected }) => value === undefined && !keeps && expected <= 0n);
    if (missing !== undefined)
      throw new RevisionConflict(missing.key, missing.expected, (await this.get(missing.key))?.revision);
    if (writes.length === 0) return [];
    const revision = await this.#swap(writes);
    return writes.map(({ keeps, expected }) => (keeps ? expected : revision));
  }

  watch(prefix: string, since: bigint, signal: AbortSignal): AsyncIterable<KvEvents> {
    this.#assertOpen();
    checkPrefix(prefix);
    return this.#watch(prefix, since, signal);
  }

  async *#watch(prefix: string, since: bigint, signal: AbortSignal): AsyncGenerator<KvEvents> {
    if (signal.aborted) return;
    let hub: EtcdHub;
    try {
      hub = await this.#startHub(since);
    } catch (error) {
      if (error instanceof KvClosed) return; // closed while the watch started: it then ends without an error
      throw error;
    }
    yield* hub.feed.watch(prefix, since, signal);
  }

  async compact(revision: bigint): Promise<void> {
    this.#assertOpen();
    await this.#history?.agree().catch((error: unknown) => this.#throw(error));
    const reserved = await this.#reservations.oldest().catch((error: unknown) => this.#throw(error));
    let until = reserved !== undefined && reserved < revision ? reserved : revision;
    const kept = this.#history?.oldest.revision;
    if (kept !== undefined && kept < until) until = kept;
    const hub = await this.#hub?.catch(() => undefined);
    if (hub !== undefined) await this.#waitFor(hub, until);
    try {
      await this.#connection.repeat(methods.compact, compactionRequest(until));
    } catch (error) {
      const translated = await this.#translate(error, until);
      if (!(translated instanceof RevisionCompacted)) throw translated;
    }
    this.#forget(until);
  }

  async reserve(): Promise<KvPin> {
    this.#assertOpen();
    try {
      const { revision, release } = await this.#reservations.hold();
      return { revision, release: () => void this.#track(release()) };
    } catch (error) {
      // A user of etcd who may only read, for example.
      this.#options.log.warn("history cannot be reserved, so it may be compacted while it is read", {
        reason: detailsOf(error),
      });
      return { revision: await this.#currentRevision(), release() {} };
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const hub = await this.#hub?.catch(() => undefined);
    await hub?.end();
    await this.#history?.close();
    await Promise.allSettled(this.#writing);
    await this.#swaps.close();
    this.#connection.close();
  }

  #startHub(since: bigint): Promise<EtcdHub> {
    this.#hub ??= this.#openHub(since).catch((error: unknown) => {
      this.#hub = undefined;
      throw error;
    });
    return this.#hub;
  }

  async #openHub(since: bigint): Promise<EtcdHub> {
    const current = await this.#currentRevision();
    this.#assertOpen();
    const revision = since < current ? since : current;
    return new EtcdHub({
      connection: this.#connection,
      keys: this.#keys,
      log: this.#options.log,
      own: this.#own,
      revision: revision < this.#oldest ? this.#oldest : revision,
      oldest: this.#oldest,
      writeProgressKey: () => this.#writeProgressKey(),
      onMissed: () => {
        this.#hub = undefined;
      },
    });
  }

  #writeProgressKey(): Promise<void> {
    const request = txnRequest({
      compare: [],
      success: [{ put: { key: this.#keys.progress, value: new Uint8Array(0) } }],
      failure: [],
    });
    // A progress key that is already being written may be slightly too early for this caller: the caller then requests
    // it again.
    this.#progress ??= this.#connection
      .repeat(methods.txn, request)
      .then(() => {})
      .finally(() => {
        this.#progress = undefined;
      });
    return this.#progress;
  }

  async #waitFor(hub: EtcdHub, revision: bigint): Promise<void> {
    const deadline = this.#options.clock.monotonic() + this.#options.requestTimeoutMs;
    if (revision > (await this.#currentRevision())) return; // etcd reports it
    while (hub.feed.revision < revision && this.#options.clock.monotonic() < deadline) {
      this.#assertOpen();
      await hub.reach(revision);
    }
  }

  #forget(revision: bigint): void {
    if (revision > this.#oldest) this.#oldest = revision;
    this.#history?.compacted(revision);
    this.#hub?.then(
      (hub) => hub.feed.forget(revision),
      () => {},
    );
  }

  async #currentRevision(): Promise<bigint> {
    return (await this.#range({ key: this.#keys.progress, countOnly: true })).revision;
  }

  async #range(request: Parameters<typeof rangeRequest>[0]): Promise<ReturnType<typeof readRangeResponse>> {
    try {
      return readRangeResponse(await this.#connection.repeat(methods.range, rangeRequest(request)));
    } catch (error) {
      throw await this.#translate(error, request.revision);
    }
  }

  async #throw(error: unknown): Promise<never> {
    throw await this.#translate(error);
  }

  /** gRPC's errors as errors of the contract. etcd distinguishes reasons with the same code by text only. */
  async #translate(error: unknown, revision = 0n): Promise<Error> {
    if (error instanceof KvError) return error;
    const details = detailsOf(error);
    if (codeOf(error) === grpcCode.outOfRange && details.includes("compacted")) {
      return new RevisionCompacted(revision, await this.#findOldest());
    }
    if (codeOf(error) === grpcCode.outOfRange && details.includes("future revision")) {
      return new RevisionUnknown(revision, await this.#currentRevision());
    }
    if (details.includes("request is too large") || details.includes("larger than max")) {
      return new KvError("too-large", `etcd refused the write: ${details}`, { cause: error });
    }
    return new KvError("unavailable", `etcd: ${details}`, { cause: error });
  }

  /** etcd reports the oldest revision only to a watch that starts before it. */
  async #findOldest(): Promise<bigint> {
    const abort = AbortSignal.timeout(2_000);
    await streamWatch(this.#connection, { key: this.#keys.progress, startRevision: 1n }, abort, (response) => {
      if (response.compactRevision > 0n) this.#forget(response.compactRevision);
      return response.created && !response.canceled ? "more" : "enough";
    });
    return this.#oldest;
  }

  async #swap(writes: readonly KvWrite[]): Promise<bigint> {
    const expectsEvents = this.#hub !== undefined;
    if (expectsEvents) for (const { key, value } of writes) if (value !== undefined) this.#own.add(key, value);
    try {
      return await this.#track(this.#swaps.run(writes));
    } catch (error) {
      if (expectsEvents) for (const { value } of writes) if (value !== undefined) this.#own.forget(value);
      throw error;
    }
  }

  async #track<Result>(write: Promise<Result>): Promise<Result> {
    this.#writing.add(write);
    try {
      return await write;
    } finally {
      this.#writing.delete(write);
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new KvClosed();
  }
}
