/** Writes of one process, several in one commit, each with a certain outcome where the database can be asked. */

import { randomInt } from "node:crypto";
import { KvClosed, KvError, type KvWrite, OutcomeUnknown, RevisionConflict } from "../contract.ts";
import type { Database } from "./database.ts";
import { readNumbers } from "./rows.ts";
import { quoted, refused } from "./schema.ts";
import { asKvError, isPassing, type PgSession, stateOf } from "./session.ts";

/** Writes in one commit. */
export const batchWritesMax = 256;
/** Bytes of keys and values in one commit; a single write may have more. */
export const batchBytesMax = 4 * 1024 * 1024;

interface Write extends KvWrite {
  /** The others of its commit: they have a batch of their own. Undefined: it is alone. */
  readonly others: readonly KvWrite[] | undefined;
  /** With the revision of each write of the commit. */
  resolve(revisions: readonly bigint[]): void;
  reject(error: Error): void;
}

/** What goes to the database at once. */
interface Batch {
  readonly commits: readonly Write[];
  readonly writes: readonly KvWrite[];
  /** Whether all writes happen or none. */
  readonly isWhole: boolean;
}

interface Outcome {
  readonly revisions: readonly bigint[];
  readonly conflicts: readonly bigint[];
}

interface WriterOptions {
  readonly database: Database;
  /** The newest revision that this process has seen: a database that is behind it has lost writes. */
  readonly seen: () => bigint;
  readonly onWritten: (revision: bigint) => void;
  /** The database has lost writes. Resolves when it continues above them. */
  readonly onLoss: () => Promise<void>;
}

/**
 * One batch is on its way at a time; what comes meanwhile is the next one, so a slow disk makes larger batches and not longer queues.
 *
 *     put a            -> batch 1 [a]
 *     put b, c, put b  -> wait; the second write to b waits for the first
 *     batch 1 is done  -> batch 2 [b c], then batch 3 [b]
 */
export class Writer {
  readonly #options: WriterOptions;
  #queue: Write[] = [];
  #session: PgSession | undefined;
  #id = newId();
  #batch = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async write(key: string, value: Uint8Array | undefined, expected: bigint): Promise<bigint> {
    const [revision] = await this.#add({ key, value, expected });
    return revision!;
  }

  commit([first, ...others]: readonly KvWrite[]): Promise<readonly bigint[]> {
    return first === undefined ? Promise.resolve([]) : this.#add(first, others);
  }

  #add(write: KvWrite, others?: readonly KvWrite[]): Promise<readonly bigint[]> {
    if (this.#isClosed) return Promise.reject(new KvClosed());
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...write, others, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Waits for what was begun. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    this.#session?.close();
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // what is written in this turn shares a commit
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      try {
        this.#settle(batch, await this.#commit(batch));
      } catch (error) {
        for (const { key, reject } of batch.commits)
          reject(
            error instanceof Unknown
              ? new OutcomeUnknown(key, { cause: error.cause })
              : (conflictOf(error, batch) ?? asKvError(error, this.#database.target)),
          );
      }
    }
    this.#running = undefined;
  }

  get #database(): Database {
    return this.#options.database;
  }

  /** What fits, and of each key one write: the database decides about all of them at once. Several that belong together have their own. */
  #nextBatch(): Batch {
    const keys = new Set<string>();
    const commits: Write[] = [];
    const rest: Write[] = [];
    let bytes = 0;
    for (const commit of this.#queue) {
      const size = commit.key.length + (commit.value?.byteLength ?? 0);
      const isSmall = commits.length < batchWritesMax && bytes + size <= batchBytesMax;
      const joins = commit.others === undefined && commits[0]?.others === undefined && isSmall;
      const isMet = keys.has(commit.key) || commit.others?.some(({ key }) => keys.has(key)) === true;
      if (isMet || (commits.length > 0 && !joins)) {
        rest.push(commit);
      } else {
        commits.push(commit);
        bytes += size;
      }
      // A later write to the keys must not overtake one that did not fit.
      keys.add(commit.key);
      for (const { key } of commit.others ?? []) keys.add(key);
    }
    this.#queue = rest;
    const { others } = commits[0]!;
    return {
      commits,
      writes: others === undefined ? commits : [commits[0]!, ...others],
      isWhole: others !== undefined,
    };
  }

  /** The outcome of each write. Throws if none of them has happened and none will, or Unknown. */
  async #commit(batch: Batch): Promise<Outcome> {
    const deadline = this.#database.clock.monotonic() + this.#database.timeoutMs;
    const values = encode(batch);
    for (let attempt = 0; ; attempt += 1) {
      this.#batch += 1;
      try {
        return await this.#send(values);
      } catch (error) {
        if (error instanceof Unknown) throw error;
        if (stateOf(error) === refused.wentBack) await this.#options.onLoss();
        else if (!isPassing(error) || this.#database.clock.monotonic() >= deadline) throw error;
        await this.#database.pause(attempt);
      }
    }
  }

  async #send(values: Encoded): Promise<Outcome> {
    const session = await this.#open();
    const { warnings } = session;
    const { seen } = this.#options;
    try {
      const [row] = await session.rows({
        name: "write",
        text: `SELECT o_revisions, o_conflicts FROM ${quoted(this.#database.schema)}.write($1, $2, $3, $4, $5, $6, $7, $8)`,
        values: [
          this.#id,
          this.#batch,
          seen(),
          values.data,
          values.keys,
          values.values,
          values.expected,
          values.isWhole,
        ],
      });
      // A warning is the only sign of a commit that the replicas may not have.
      if (session.warnings === warnings) return readOutcome(row!);
    } catch (error) {
      const state = stateOf(error);
      // A refusal has changed nothing. A server that shuts down may have committed before.
      if (state !== undefined && !state.startsWith("57P") && !state.startsWith("08")) throw error;
      return await this.#ask(error);
    }
    return await this.#ask(new Error("the server warned about the commit"));
  }

  /** The outcome of a batch whose answer was lost. */
  async #ask(cause: unknown): Promise<Outcome> {
    const deadline = this.#database.clock.monotonic() + this.#database.timeoutMs;
    for (let attempt = 0; this.#database.clock.monotonic() < deadline; attempt += 1) {
      try {
        const session = await this.#open();
        const { warnings } = session;
        const [row] = await session.rows({
          text: `SELECT o_revisions, o_conflicts FROM ${quoted(this.#database.schema)}.settle($1, $2)`,
          values: [this.#id, this.#batch],
        });
        if (session.warnings > warnings) continue;
        if (row![0] === null)
          throw new KvError("unavailable", "PostgreSQL ended the connection before it wrote", { cause });
        return readOutcome(row!);
      } catch (error) {
        if (error instanceof KvError && error.cause === cause) throw error;
        if (error instanceof KvClosed) break;
      }
      await this.#database.pause(attempt);
    }
    this.#id = newId();
    this.#batch = 0;
    throw new Unknown("the outcome is unknown", { cause });
  }

  async #open(): Promise<PgSession> {
    if (this.#session?.isBroken !== false) this.#session = await this.#database.open();
    return this.#session;
  }

  #settle({ commits, isWhole }: Batch, { revisions, conflicts }: Outcome): void {
    let newest = 0n;
    for (const revision of revisions) if (revision > newest) newest = revision;
    if (newest > 0n) this.#options.onWritten(newest);
    if (isWhole) {
      commits[0]!.resolve(revisions);
      return;
    }
    for (const [at, { key, expected, resolve, reject }] of commits.entries()) {
      if (revisions[at]! > 0n) resolve([revisions[at]!]);
      else reject(new RevisionConflict(key, expected, conflicts[at]));
    }
  }
}

/** Which write made a whole commit impossible; undefined: the error is another one. */
function conflictOf(error: unknown, { writes }: Batch): RevisionConflict | undefined {
  if (stateOf(error) !== refused.conflict) return undefined;
  const [place = "0", revision = "0"] = (/(\d+) (\d+)/.exec(String(error)) ?? []).slice(1);
  const write = writes[Number(place) - 1];
  return write && new RevisionConflict(write.key, write.expected, BigInt(revision));
}

/** Whether the batch has happened could not be found out. */
class Unknown extends Error {}

interface Encoded {
  readonly data: Uint8Array;
  readonly keys: readonly number[];
  readonly values: readonly number[];
  readonly expected: readonly bigint[];
  readonly isWhole: boolean;
}

function encode({ writes, isWhole }: Batch): Encoded {
  const keys = writes.map(({ key }) => Buffer.from(key));
  return {
    data: Buffer.concat(writes.flatMap(({ value }, at) => (value === undefined ? [keys[at]!] : [keys[at]!, value]))),
    keys: keys.map((key) => key.length),
    values: writes.map(({ value, keeps }) => (keeps ? comparesOnly : (value?.byteLength ?? removes))),
    expected: writes.map(({ expected }) => expected),
    isWhole,
  };
}

/** Lengths of values that mean something else; see `write` in schema.ts. */
const removes = -1;
const comparesOnly = -2;

function readOutcome([revisions, conflicts]: readonly (string | null)[]): Outcome {
  return { revisions: readNumbers(revisions!), conflicts: readNumbers(conflicts!) };
}

/** Distinguishes the processes that write. */
function newId(): number {
  return randomInt(1, 2 ** 48 - 1);
}
