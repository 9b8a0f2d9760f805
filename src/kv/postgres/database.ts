/** The connections of a store: a few for reads, which are repeated when the server changes, and new ones for writer and watch. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { KvClosed } from "../contract.ts";
import {
  asKvError,
  isPassing,
  loadPg,
  openSession,
  type PgRow,
  type PgSession,
  type SessionOptions,
  stateOf,
} from "./session.ts";
import type { PostgresTarget } from "./target.ts";

/** Reads at once; more wait for their turn. */
export const readSessionsMax = 4;
const pauseMsMin = 20;
const pauseMsMax = 500;

interface DatabaseOptions extends SessionOptions {
  readonly schema: string;
  readonly clock: Clock;
  readonly log: Log;
}

type Statement = Parameters<PgSession["rows"]>[0];

export class Database {
  readonly #options: DatabaseOptions;
  readonly #idle: PgSession[] = [];
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;
  readonly #closing = new AbortController();

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  get schema(): string {
    return this.#options.schema;
  }

  get target(): PostgresTarget {
    return this.#options.target;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get log(): Log {
    return this.#options.log;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** A connection that the caller closes. */
  async open(): Promise<PgSession> {
    if (this.signal.aborted) throw new KvClosed();
    const session = await openSession(await loadPg(), this.#options);
    if (!this.signal.aborted) return session;
    session.close();
    throw new KvClosed();
  }

  /** The rows of a statement that may run twice. Tried again until the time of a request is over. */
  async read(statement: Statement): Promise<readonly PgRow[]> {
    const deadline = this.clock.monotonic() + this.timeoutMs;
    for (let attempt = 0; ; attempt += 1) {
      let session: PgSession | undefined;
      try {
        session = await this.#take();
        return await session.rows(statement);
      } catch (error) {
        if (this.signal.aborted) throw new KvClosed();
        const isOver = this.clock.monotonic() >= deadline;
        if (isOver || !isPassing(error)) throw stateOf(error) === undefined ? asKvError(error, this.target) : error;
        session?.close(); // its server may have become a replica
      } finally {
        this.#give(session);
      }
      await this.pause(attempt);
    }
  }

  /** Waits before another attempt, longer each time; no longer than until the store is closed. */
  async pause(attempt: number): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        this.signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.clock.after(Math.min(pauseMsMin * 2 ** attempt, pauseMsMax), done);
      this.signal.addEventListener("abort", done);
    });
  }

  close(): void {
    this.#closing.abort();
    for (const session of this.#idle.splice(0)) session.close();
  }

  async #take(): Promise<PgSession> {
    while (this.#inUse >= readSessionsMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inUse += 1;
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (!idle.isBroken) return idle;
    try {
      return await this.open();
    } catch (error) {
      this.#give(undefined, true);
      throw error;
    }
  }

  #give(session: PgSession | undefined, isCounted = session !== undefined): void {
    if (!isCounted) return;
    this.#inUse -= 1;
    if (session !== undefined && !session.isBroken) {
      if (this.signal.aborted) session.close();
      else this.#idle.push(session);
    }
    this.#waiting.shift()?.();
  }
}
