/** The store in a PostgreSQL database: for several servers, where somebody operates one already. */

import { type Clock, systemClock } from "../../base/clock.ts";
import { type Log, silentLog } from "../../base/log.ts";
import {
  type Kv,
  KvClosed,
  type KvEntry,
  type KvEvents,
  type KvPin,
  type KvRange,
  type KvSize,
  type KvWrite,
  type RangeOptions,
  RevisionCompacted,
  RevisionUnknown,
} from "../contract.ts";
import { checkKey, checkPrefix, checkValue, checkWrites } from "../limits.ts";
import { OwnWrites } from "../own-writes.ts";
import { SharedQuestion } from "../shared-question.ts";
import { Database } from "./database.ts";
import { PostgresHub } from "./hub.ts";
import { reserve } from "./reservations.ts";
import { behind, entryColumns, readEntry } from "./rows.ts";
import { quoted } from "./schema.ts";
import { asKvError, type PgRow } from "./session.ts";
import { prepare } from "./setup.ts";
import { namesOf, type PostgresTarget } from "./target.ts";
import { Writer } from "./writer.ts";

export interface PostgresKvOptions {
  readonly target: PostgresTarget;
  /** The schema of all tables; the default is "orch". It is made where it is missing and the user may. */
  readonly schema?: string;
  /** How long one request is tried; the default is 10 s. */
  readonly requestTimeoutMs?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Entries in one answer of the database; a longer range is read in several, all of one revision. */
const pageEntries = 1_000;
/** Revisions that one statement of a compaction works on, so that no lock is held for long. */
const sweepRevisions = 1_000;
/** Above every revision: the state is the newest. */
const revisionMax = 2n ** 63n - 1n;
/** How far revisions jump over what a failover has lost, so that none is used twice. */
const leapRevisions = 1_000_000;

/** Connects and makes the tables, so that wrong addresses and missing rights fail here and not in the first request. */
export async function openPostgresKv(options: PostgresKvOptions): Promise<Kv> {
  const database = new Database({
    target: options.target,
    schema: options.schema ?? "orch",
    timeoutMs: options.requestTimeoutMs ?? 10_000,
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLog,
  });
  try {
    await prepare(database);
    return new PostgresKv(database);
  } catch (error) {
    database.close();
    throw asKvError(error, options.target);
  }
}

class PostgresKv implements Kv {
  readonly #database: Database;
  readonly #schema: string;
  readonly #writer: Writer;
  /** Every consistent read of a client needs the revision, so they share the request. */
  readonly #newest: SharedQuestion<bigint>;
  readonly #own = new OwnWrites();
  #hub: Promise<PostgresHub> | undefined;
  /** The newest revision that this process has seen. */
  #seen = 0n;
  #closing: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#schema = quoted(database.schema);
    this.#newest = new SharedQuestion(() => this.#head(), database.clock);
    this.#writer = new Writer({
      database,
      seen: () => this.#seen,
      onWritten: (revision) => this.#saw(revision),
      onLoss: () => this.#leap(),
    });
  }

  async revision(): Promise<bigint> {
    this.#assertOpen();
    const revision = await this.#ask(() => this.#newest.answer());
    this.#saw(revision);
    return revision;
  }

  async get(key: string): Promise<KvEntry | undefined> {
    this.#assertOpen();
    checkKey(key);
    const [row] = await this.#read({
      name: "get",
      text: `SELECT ${entryColumns} FROM ${this.#schema}.log WHERE key = $1 ORDER BY revision DESC LIMIT 1`,
      values: [Buffer.from(key)],
    });
    return row === undefined || row[1] === null ? undefined : readEntry(row);
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<KvRange> {
    this.#assertOpen();
    checkPrefix(prefix);
    if (options.start !== undefined) checkPrefix(options.start);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const first = Buffer.from(prefix);
    const end = behind(first);
    const start = Buffer.from(options.start ?? "");
    let from = Buffer.compare(first, start) < 0 ? start : first;
    let at = options.revision;
    const entries: KvEntry[] = [];
    for (;;) {
      const size = Math.min(pageEntries, limit - entries.length);
      // One more than wanted tells whether others follow.
      const page = await this.#page({ from, end, at, limit: size + 1 });
      at = page.revision;
      const more = page.entries.length > size;
      entries.push(...(more ? page.entries.slice(0, size) : page.entries));
      if (!more) return { entries, revision: at, remaining: 0 };
      from = Buffer.from(page.entries[size]!.key);
      if (entries.length < limit) continue;
      return { entries, revision: at, remaining: options.uncounted ? 1 : await this.#count({ from, end, at }) };
    }
  }

  async put(key: string, value: Uint8Array, expected: bigint): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    checkValue(value);
    return await this.#recognised([{ key, value }], this.#writer.write(key, value, expected));
  }

  async delete(key: string, expected: bigint): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    return await this.#writer.write(key, undefined, expected);
  }

  async commit(writes: readonly KvWrite[]): Promise<readonly bigint[]> {
    this.#assertOpen();
    checkWrites(writes);
    return await this.#recognised(writes, this.#writer.commit(writes));
  }

  /** The hub passes on the very arrays of these writes, which the writer sends after this turn. */
  async #recognised<Result>(
    writes: readonly { readonly key: string; readonly value?: Uint8Array | undefined }[],
    written: Promise<Result>,
  ): Promise<Result> {
    const own = this.#hub === undefined ? undefined : this.#own;
    for (const { key, value } of writes) if (value !== undefined) own?.add(key, value);
    try {
      return await written;
    } catch (error) {
      for (const { value } of writes) if (value !== undefined) own?.forget(value);
      throw error;
    }
  }

  watch(prefix: string, since: bigint, signal: AbortSignal): AsyncIterable<KvEvents> {
    this.#assertOpen();
    checkPrefix(prefix);
    return this.#watch(prefix, since, signal);
  }

  async *#watch(prefix: string, since: bigint, signal: AbortSignal): AsyncGenerator<KvEvents> {
    if (signal.aborted) return;
    let hub: PostgresHub;
    try {
      hub = await this.#startHub();
    } catch (error) {
      if (error instanceof KvClosed) return; // closed while the watch started: it then ends without an error
      throw error;
    }
    yield* hub.feed.watch(prefix, since, signal);
  }

  async compact(revision: bigint): Promise<void> {
    this.#assertOpen();
    const hub = await this.#hub?.catch(() => undefined);
    const head = await this.revision();
    if (revision > head) throw new RevisionUnknown(revision, head);
    // Its watchers are near the newest revision, and must not lose their place.
    await hub?.reached(revision);
    const [row] = await this.#read({ text: this.#compactText, values: [revision] });
    hub?.feed.forget(BigInt(row![0]!));
    for (let isMore = true; isMore && this.#closing === undefined; ) {
      const [swept] = await this.#read({ text: `SELECT ${this.#schema}.sweep($1)`, values: [sweepRevisions] });
      isMore = swept![0] === "t";
    }
  }

  async reserve(): Promise<KvPin> {
    this.#assertOpen();
    return await this.#ask(() => reserve(this.#database));
  }

  async sizes(): Promise<readonly KvSize[]> {
    this.#assertOpen();
    const [row] = await this.#read({
      text: "SELECT pg_total_relation_size($1::regclass)",
      values: [`${this.#schema}.log`],
    });
    return [{ endpoint: namesOf(this.#database.target), bytes: Number(row![0]) }];
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const hub = await this.#hub?.catch(() => undefined);
    const ended = hub?.end();
    await this.#writer.close();
    this.#database.close();
    await ended;
  }

  #startHub(): Promise<PostgresHub> {
    this.#hub ??= this.#openHub().catch((error: unknown) => {
      this.#hub = undefined;
      throw error;
    });
    return this.#hub;
  }

  async #openHub(): Promise<PostgresHub> {
    const { revision, compacted } = await this.#ask(() => this.#position());
    this.#assertOpen();
    return new PostgresHub({
      database: this.#database,
      own: this.#own,
      revision,
      oldest: compacted,
      onLoss: () => this.#leap(),
      onRead: (read) => this.#saw(read),
    });
  }

  get #compactText(): string {
    const schema = this.#schema;
    return `WITH bound AS (
        SELECT least($1::bigint, (SELECT min(r.revision) FROM ${schema}.reservations r WHERE r.until >= now())) AS until),
      moved AS (
        UPDATE ${schema}.compaction c SET compacted = b.until FROM bound b
        WHERE b.until > c.compacted RETURNING c.compacted)
      SELECT coalesce((SELECT compacted FROM moved), (SELECT compacted FROM ${schema}.compaction))`;
  }

  async #page(range: {
    from: Buffer;
    end: Buffer;
    at: bigint | undefined;
    limit: number;
  }): Promise<Omit<KvRange, "remaining">> {
    const { from, end, at, limit } = range;
    const schema = this.#schema;
    const rows = await this.#read({
      name: "range",
      text: `SELECT h.revision, c.compacted, e.* FROM ${schema}.head h CROSS JOIN ${schema}.compaction c LEFT JOIN LATERAL (
          SELECT ${entryColumns} FROM (${this.#newestRows}) newest WHERE value IS NOT NULL ORDER BY key LIMIT $4) e ON true ORDER BY e.key`,
      values: [from, end, at ?? revisionMax, limit],
    });
    const revision = this.#checkedRevision(rows[0]!, at);
    return { revision, entries: rows.flatMap(([, , ...entry]) => (entry[0] === null ? [] : [readEntry(entry)])) };
  }

  async #count({ from, end, at }: { from: Buffer; end: Buffer; at: bigint }): Promise<number> {
    const [row] = await this.#read({
      name: "count",
      text: `SELECT h.revision, c.compacted, (SELECT count(*) FROM (${this.#newestRows}) newest WHERE value IS NOT NULL)
        FROM ${this.#schema}.head h CROSS JOIN ${this.#schema}.compaction c`,
      values: [from, end, at],
    });
    this.#checkedRevision(row!, at);
    return Number(row![2]);
  }

  /** The newest row up to revision $3 of each key from $1 to $2. */
  get #newestRows(): string {
    return `SELECT DISTINCT ON (key) ${entryColumns} FROM ${this.#schema}.log
      WHERE key >= $1 AND key < $2 AND revision <= $3 ORDER BY key, revision DESC`;
  }

  #checkedRevision([head, compacted]: PgRow, at: bigint | undefined): bigint {
    const [newest, oldest] = [BigInt(head!), BigInt(compacted!)];
    if (at === undefined) return newest;
    if (at > newest) throw new RevisionUnknown(at, newest);
    if (at < oldest) throw new RevisionCompacted(at, oldest);
    return at;
  }

  async #head(): Promise<bigint> {
    return (await this.#position()).revision;
  }

  async #position(): Promise<{ revision: bigint; compacted: bigint }> {
    const schema = this.#schema;
    for (;;) {
      const seen = this.#seen; // not later: a write may be acknowledged before the answer comes
      const [row] = await this.#database.read({
        name: "position",
        text: `SELECT h.revision, c.compacted FROM ${schema}.head h CROSS JOIN ${schema}.compaction c`,
      });
      const [revision, compacted] = row!.map((text) => BigInt(text!));
      if (revision! >= seen) return { revision: revision!, compacted: compacted! };
      await this.#leap();
    }
  }

  /** The database has lost writes that were acknowledged: it goes on above all that anybody here has seen, without history. */
  async #leap(): Promise<void> {
    const seen = this.#seen;
    this.#database.log.error("PostgreSQL has lost writes that it had acknowledged; revisions jump over them", {
      seen: String(seen),
    });
    await this.#database.read({ text: `SELECT ${this.#schema}.leap($1, $2)`, values: [seen, leapRevisions] });
  }

  #saw(revision: bigint): void {
    if (revision > this.#seen) this.#seen = revision;
    this.#hub?.then(
      (hub) => {
        if (hub.feed.revision < revision) hub.nudge();
      },
      () => {},
    );
  }

  async #read(statement: Parameters<Database["read"]>[0]): Promise<readonly PgRow[]> {
    return await this.#ask(() => this.#database.read(statement));
  }

  async #ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await question();
    } catch (error) {
      throw asKvError(error, this.#database.target);
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new KvClosed();
  }
}
