/** `--store`: a word, or the address of a PostgreSQL database. */

import { FlagError, type FlagType } from "../../base/flags/flag.ts";
import { parsePostgresTarget } from "../../kv/postgres/target.ts";

export type PostgresAddress = `postgres://${string}`;
type StoreWord = "embedded" | "memory" | "etcd";

const words: readonly StoreWord[] = ["embedded", "memory", "etcd"];

export const storeType: FlagType<StoreWord | PostgresAddress> = {
  name: "embedded|memory|etcd|postgres://…",
  parse(text) {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    if (!isAddress(text))
      throw new FlagError(`must be ${words.join(", ")} or postgres://USER@HOST/DATABASE, not "${text}"`);
    return checked(text);
  },
};

/** For commands that work on a store: only addresses, because folders and etcd have flags of their own. */
export const addressType: FlagType<PostgresAddress | ""> = {
  name: "postgres://…",
  parse(text) {
    if (!isAddress(text)) throw new FlagError(`must be postgres://USER@HOST/DATABASE, not "${text}"`);
    return checked(text);
  },
};

function isAddress(text: string): boolean {
  return /^postgres(ql)?:/.test(text);
}

function checked(text: string): PostgresAddress {
  const address = text.replace(/^postgresql:/, "postgres:") as PostgresAddress;
  try {
    parsePostgresTarget(address);
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error));
  }
  return address;
}
