/** The level of a store: the highest one of the servers that have written to it. */

import { compareReleases, isRelease, type Release } from "../base/release.ts";
import { type Kv, type KvEntry, RevisionConflict } from "../kv/contract.ts";
import { levels } from "../machinery/schema/levels.ts";
import { storeLevelKey } from "./keys.ts";

/** The store cannot be used at this level; the message says what to change. */
export class StoreLevelError extends Error {}

/** The level of what the store holds, whatever may be written to it now. */
export const storedLevel = async (kv: Kv): Promise<string | undefined> => levelIn(await kv.get(storeLevelKey));

const levelIn = (entry: KvEntry | undefined): string | undefined =>
  entry === undefined ? levels[0] : Buffer.from(entry.value).toString("utf8");

/**
 * Refuses a store that a higher level has written to: objects may have fields, kinds and versions there that this level would
 * drop. A store without the key is of the lowest level, which writes none. Another server may raise the level at the same time.
 */
export async function raiseStoreLevel(kv: Kv, level: Release): Promise<void> {
  const found = await kv.get(storeLevelKey);
  const known = levelIn(found) ?? level;
  if (!isRelease(known) || compareReleases(known, level) > 0) {
    const fix = `start with --emulated-version=${known}, or with another store`;
    throw new StoreLevelError(`the store holds objects of level ${known}, and this server has level ${level}; ${fix}`);
  }
  if (known === level) return;
  try {
    await kv.put(storeLevelKey, Buffer.from(level), found?.revision ?? 0n);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    await raiseStoreLevel(kv, level);
  }
}
