/** One connection to the server of a PostgreSQL that takes writes, with the settings that the store relies on. */

import type { Client, ClientConfig, QueryArrayConfig } from "pg";
import { KvError } from "../contract.ts";
import { namesOf, type PostgresHost, type PostgresTarget } from "./target.ts";

type Pg = typeof import("pg");

/** The oldest release that is tested, as `server_version_num` tells it. */
const versionMin = 130_000;

/** A row as text: nothing is parsed that only passes. */
export type PgRow = readonly (string | null)[];

export interface SessionOptions {
  readonly target: PostgresTarget;
  /** How long one statement may take, and a connection to come about. */
  readonly timeoutMs: number;
}

/** An optional package: only this store needs it. */
export async function loadPg(): Promise<Pg> {
  try {
    const loaded = (await import("pg")) as Pg & { readonly default?: Pg };
    return loaded.default ?? loaded;
  } catch (error) {
    throw new KvError("unavailable", "the PostgreSQL store needs the package pg; run: npm install pg", {
      cause: error,
    });
  }
}

/** Connects to the first host that takes writes. Throws the last host's error when none does. */
export async function openSession(pg: Pg, options: SessionOptions): Promise<PgSession> {
  let failure: unknown = new Error("no host is named");
  for (const host of options.target.hosts) {
    try {
      return await connect(pg, host, options);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function connect(pg: Pg, host: PostgresHost, options: SessionOptions): Promise<PgSession> {
  const client = new pg.Client(clientConfig(host, options));
  const session = new PgSession(client);
  try {
    await client.connect();
    // Compiling a statement takes longer than any of ours. `local` and `off` would acknowledge what a crash or a failover can lose.
    const [row] = await session.rows({
      text: `SELECT set_config('default_transaction_isolation', 'read committed', false),
        set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
          ELSE current_setting('synchronous_commit') END, false),
        set_config('jit', 'off', false), current_setting('server_version_num'), pg_is_in_recovery(), current_setting('default_transaction_read_only')`,
    });
    const [, , , version, isReplica, isReadOnly] = row!;
    if (Number(version) < versionMin)
      throw new KvError("unavailable", "PostgreSQL 13 or newer is needed, and this server is older");
    if (isReplica === "t" || isReadOnly === "on")
      throw new KvError("unavailable", "the server is a replica, or takes no writes");
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}

function clientConfig({ host, port }: PostgresHost, { target, timeoutMs }: SessionOptions): ClientConfig {
  const { user, database, password, tls } = target;
  return {
    host,
    port,
    user,
    database,
    // Absent, the library would look into the environment and the home folder.
    password: password ?? "",
    connectionTimeoutMillis: timeoutMs,
    // A statement that waits for a lock longer than this is refused by the server: its outcome is then known.
    statement_timeout: timeoutMs,
    // Afterwards the connection is closed: the server, or the way to it, hangs.
    query_timeout: timeoutMs + 2_000,
    keepAlive: true,
    application_name: "orch",
    ssl: tls !== undefined && {
      rejectUnauthorized: tls.verify !== "encrypted",
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key! }),
      ...(tls.verify === "authority" ? { checkServerIdentity: () => undefined } : {}),
    },
  };
}

interface Statement {
  /** Statements with a name are planned once a connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly (string | number | bigint | boolean | Uint8Array | null | readonly (number | bigint)[])[];
}

const asText = { getTypeParser: () => (value: string) => value };

export class PgSession {
  readonly #client: Client;
  #failure: Error | undefined;
  #closed = false;
  #warnings = 0;
  readonly #onEnd = new Set<() => void>();

  constructor(client: Client) {
    this.#client = client;
    const fail = (error?: Error): void => {
      this.#failure ??= error ?? new Error("the connection was closed");
      for (const call of this.#onEnd) call();
      this.#onEnd.clear();
    };
    client.on("error", fail);
    client.on("end", () => fail());
    client.on("notice", ({ severity }) => {
      if (severity === "WARNING") this.#warnings += 1;
    });
  }

  get isBroken(): boolean {
    return this.#closed || this.#failure !== undefined;
  }

  /** Warnings of the server so far; one during a write says that replicas may not have it. */
  get warnings(): number {
    return this.#warnings;
  }

  /** Values of the rows as text. An error that is not the server's refusal closes the connection. */
  async rows({ name, text, values }: Statement): Promise<readonly PgRow[]> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const result = await this.#client.query<(string | null)[]>({
        ...(name === undefined ? {} : { name }),
        text,
        values: (values ?? []).map((value) =>
          typeof value === "bigint" ? String(value) : value instanceof Uint8Array ? asBuffer(value) : value,
        ),
        rowMode: "array",
        types: asText,
      } as QueryArrayConfig);
      return result.rows;
    } catch (error) {
      if (stateOf(error) === undefined) {
        this.#failure ??= error as Error;
        this.close();
      }
      throw error;
    }
  }

  /** Several statements in one transaction. */
  async script(text: string): Promise<void> {
    await this.#client.query(text);
  }

  /** Calls `heard` whenever somebody notifies the channel. */
  async listen(channel: string, heard: () => void): Promise<void> {
    this.#client.on("notification", heard);
    await this.script(`LISTEN "${channel}"`);
  }

  /** Calls back once when the connection has ended. */
  onEnd(call: () => void): void {
    if (this.isBroken) call();
    else this.#onEnd.add(call);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    // While an answer is awaited this closes the socket at once: a hanging server is not waited for.
    this.#client.end().catch(() => {});
  }
}

/** The SQL state of the server's refusal; undefined: the connection failed. */
export function stateOf(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: string; readonly severity?: string };
  return severity === undefined ? undefined : code;
}

/** Whether the server ended the connection, is starting or stopping, or has become a replica: another attempt may succeed. */
export function isPassing(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return !(error instanceof KvError) || error.code === "unavailable";
  return state.startsWith("57P") || state.startsWith("08") || state.startsWith("53") || state === "25006";
}

/** An error of the library or the server as one of the contract. */
export function asKvError(error: unknown, target: PostgresTarget): KvError {
  if (error instanceof KvError) return error;
  const reason =
    (error instanceof Error && error.message) || (error as { code?: string })?.code || "it does not answer";
  if (stateOf(error) !== undefined) return new KvError("unavailable", `PostgreSQL: ${reason}`, { cause: error });
  return new KvError("unavailable", `PostgreSQL cannot be reached at ${namesOf(target)}: ${reason}`, { cause: error });
}

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
