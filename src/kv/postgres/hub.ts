/** The one reader of changes that a store keeps; each of its watches is a position in what it has read. */

import { type KvChange, type KvEvents, RevisionCompacted } from "../contract.ts";
import { Feed } from "../feed.ts";
import type { OwnWrites } from "../own-writes.ts";
import type { Database } from "./database.ts";
import { readBytes, readKey } from "./rows.ts";
import { channelOf, quoted } from "./schema.ts";
import type { PgRow, PgSession } from "./session.ts";

/** How much of the newest history stays in memory for watchers that are nearly up to date. */
const recentChangesMax = 10_000;
const recentBytesMax = 64 * 1024 * 1024;
/** Changes in one answer of the database. */
const pageChanges = 1_000;
/** Notifications wake the hub; it also looks at this interval, because a notification can get lost with its connection. */
export const lookMs = 1_000;

interface HubOptions {
  readonly database: Database;
  /** Writes of this process that have not been read yet. */
  readonly own: OwnWrites;
  /** Where to begin: everything after this revision is delivered. */
  readonly revision: bigint;
  readonly oldest: bigint;
  /** The database is behind what was read from it. Resolves when it continues above. */
  readonly onLoss: () => Promise<void>;
  readonly onRead: (revision: bigint) => void;
}

export class PostgresHub {
  readonly feed: Feed;
  readonly #options: HubOptions;
  readonly #ended: Promise<void>;
  #isEnding = false;
  #wake: (() => void) | undefined;
  readonly #waiting: (() => void)[] = [];
  /** Somebody knows of changes that were not read yet. */
  #isDue = true;

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

  /** Resolves when everything up to this revision has been read, or the hub has ended. */
  async reached(revision: bigint): Promise<void> {
    while (this.feed.revision < revision && !this.#isEnding) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.nudge();
      });
    }
  }

  /** There is something to read. */
  nudge(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.feed.end();
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#wake?.();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { database } = this.#options;
    for (let attempt = 0; !this.#isEnding && !database.signal.aborted; attempt += 1) {
      let session: PgSession | undefined;
      try {
        session = await database.open();
        session.onEnd(() => this.nudge());
        await session.listen(channelOf(database.schema), () => this.nudge());
        while (!this.#isEnding) {
          await this.#readNew(session);
          attempt = 0;
          await this.#pause();
        }
      } catch (error) {
        if (this.#isEnding || database.signal.aborted) return;
        database.log.warn("the watch of PostgreSQL broke and is resumed", { after: String(this.feed.revision), error });
        await database.pause(attempt);
      } finally {
        session?.close();
      }
    }
  }

  async #readNew(session: PgSession): Promise<void> {
    for (let isBehind = true; isBehind && !this.#isEnding; ) {
      this.#isDue = false;
      const { feed } = this;
      const page = readPage(
        await session.rows(changesAfter(this.#options.database.schema, feed.revision, pageChanges)),
        this.#options.own,
      );
      if (page.head < feed.revision) {
        await this.#options.onLoss();
        continue;
      }
      // What lies in between is gone: watchers that have not passed it end as compacted.
      feed.advance(page.compacted);
      feed.forget(page.compacted);
      isBehind = page.changes.length === pageChanges;
      const revision = isBehind ? page.changes.at(-1)!.revision : page.head;
      if (page.changes.length > 0) feed.append(page.changes, revision);
      else feed.advance(revision);
      this.#options.onRead(revision);
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  async #pause(): Promise<void> {
    if (this.#isDue || this.#isEnding) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.database.clock.after(lookMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** Changes that are no longer in memory. */
  async #readOlder(after: bigint, max: number): Promise<KvEvents> {
    const { database, own } = this.#options;
    const { changes, compacted, head } = readPage(await database.read(changesAfter(database.schema, after, max)), own);
    if (after < compacted) {
      this.feed.forget(compacted);
      throw new RevisionCompacted(after, compacted);
    }
    return { changes, revision: changes.length < max ? head : changes.at(-1)!.revision };
  }
}

function changesAfter(schema: string, after: bigint, limit: number) {
  const name = quoted(schema);
  return {
    name: "changes",
    text: `SELECT h.revision, c.compacted, l.revision, l.key, l.value FROM ${name}.head h CROSS JOIN ${name}.compaction c
      LEFT JOIN LATERAL (SELECT * FROM ${name}.log WHERE revision > $1 ORDER BY revision LIMIT $2) l ON true ORDER BY l.revision`,
    values: [after, limit],
  };
}

interface Page {
  readonly head: bigint;
  readonly compacted: bigint;
  readonly changes: readonly KvChange[];
}

function readPage(rows: readonly PgRow[], own: OwnWrites): Page {
  const [head, compacted] = rows[0]!;
  const changes: KvChange[] = [];
  for (const [, , revision, writtenKey, written] of rows) {
    if (revision === null) continue;
    const key = readKey(writtenKey!);
    const value = written === null ? undefined : readBytes(written!);
    changes.push({
      key,
      revision: BigInt(revision!),
      ...(value !== undefined && { value: own.take(key, value) ?? value }),
    });
  }
  return { head: BigInt(head!), compacted: BigInt(compacted!), changes };
}
