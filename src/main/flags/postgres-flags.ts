/** The flags of the PostgreSQL store beside its address, and what they and the address say together. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import { type PostgresTarget, parsePostgresTarget } from "../../kv/postgres/target.ts";
import { readOptionalFlagFile } from "./read-file.ts";

export const postgresFlags = {
  "postgres-password-file": string("a file with the password of PostgreSQL, instead of one in the address"),
  "postgres-cafile": string("the authority of PostgreSQL's certificate"),
  "postgres-certfile": string("the client certificate for PostgreSQL"),
  "postgres-keyfile": string("the key of --postgres-certfile"),
  "postgres-schema": string("the schema of the tables in PostgreSQL", "orch"),
};

interface PostgresPlace {
  readonly target: PostgresTarget;
  readonly schema: string;
}

export async function readPostgresPlace(
  address: string,
  flags: FlagValues<typeof postgresFlags>,
): Promise<PostgresPlace> {
  const target = parsePostgresTarget(address, {
    password: await readOptionalFlagFile("postgres-password-file", flags["postgres-password-file"]),
    ca: await readOptionalFlagFile("postgres-cafile", flags["postgres-cafile"]),
    cert: await readOptionalFlagFile("postgres-certfile", flags["postgres-certfile"]),
    key: await readOptionalFlagFile("postgres-keyfile", flags["postgres-keyfile"]),
  });
  return { target, schema: flags["postgres-schema"] };
}
