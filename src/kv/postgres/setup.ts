/** Makes the tables in a new database, or finds out that they are there. */

import { KvError } from "../contract.ts";
import type { Database } from "./database.ts";
import { formatNewest, quoted, schemaStatements } from "./schema.ts";
import { isPassing, type PgSession, stateOf } from "./session.ts";

/** A name that PostgreSQL keeps whole, and that needs no explanation in a command line. */
const schemaName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** Throws KvError with what to do when the user may not make or use the tables, or another program has made newer ones. */
export async function prepare(database: Database): Promise<void> {
  const { schema } = database;
  if (!schemaName.test(schema))
    throw new KvError("unavailable", `"${schema}" is not a name of a schema: letters, digits and "_", at most 63`);
  const session = await opened(database);
  try {
    if ((await readFormat(session, schema)) === undefined) await create(session, schema);
    await checkRights(session, schema);
    await warnAboutSettings(session, database);
  } finally {
    session.close();
  }
}

/** A server that is starting, or a failover that is under way, is waited for. */
async function opened(database: Database): Promise<PgSession> {
  const deadline = database.clock.monotonic() + database.timeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await database.open();
    } catch (error) {
      const isStarting = stateOf(error)?.startsWith("57P") === true;
      if (!isStarting || !isPassing(error) || database.clock.monotonic() >= deadline) throw error;
    }
    await database.pause(attempt);
  }
}

/** Undefined: there are no tables yet. */
async function readFormat(session: PgSession, schema: string): Promise<number | undefined> {
  const [known] = await session.rows({ text: "SELECT to_regclass($1)", values: [`${quoted(schema)}.head`] });
  if (known![0] === null) return undefined;
  const [row] = await session.rows({ text: `SELECT format FROM ${quoted(schema)}.head` });
  const format = Number(row?.[0] ?? 0);
  if (format === 0) return undefined;
  if (format > formatNewest) {
    const knows = `this program knows formats up to ${formatNewest}`;
    throw new KvError("unavailable", `the schema "${schema}" has format ${format}, and ${knows}: use a newer program`);
  }
  return format;
}

async function create(session: PgSession, schema: string): Promise<void> {
  try {
    // Several servers may start on a new database at once.
    await session.script(`BEGIN; SELECT pg_advisory_xact_lock(7023842); ${schemaStatements(schema)} COMMIT;`);
  } catch (error) {
    await session.script("ROLLBACK").catch(() => {});
    if (stateOf(error) !== "42501") throw error;
    const advice = `GRANT CREATE ON DATABASE to it, or let an administrator run CREATE SCHEMA ${schema} AUTHORIZATION for it`;
    throw new KvError("unavailable", `the user may not make the schema "${schema}" in this database: ${advice}`, {
      cause: error,
    });
  }
}

async function checkRights(session: PgSession, schema: string): Promise<void> {
  const tables = ["head", "compaction", "log", "writers", "reservations"].map((table) => `${quoted(schema)}.${table}`);
  // Several rights in one question would ask for any of them.
  const questions = tables.flatMap((table) =>
    ["SELECT", "INSERT", "UPDATE", "DELETE"].map((right) => `has_table_privilege('${table}', '${right}')`),
  );
  const [row] = await session.rows({ text: `SELECT ${questions.join(" AND ")}` });
  if (row![0] === "t") return;
  throw new KvError(
    "unavailable",
    `the user may not read and write all tables of the schema "${schema}": grant it, or make the user their owner`,
  );
}

/** Settings of the server under which acknowledged writes can be lost. */
async function warnAboutSettings(session: PgSession, { log }: Database): Promise<void> {
  const [row] = await session.rows({ text: "SELECT current_setting('fsync'), current_setting('full_page_writes')" });
  if (row!.includes("off"))
    log.warn(
      "PostgreSQL runs with fsync or full_page_writes off: a crash of its machine loses or damages what was written",
    );
}
