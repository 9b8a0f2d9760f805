/** Bases in the store: what workspaces of a type begin with, written once for all of them. */

import { randomUUID } from "node:crypto";
import { type Kv, type KvEntry, type KvWrite, RevisionConflict } from "../../kv/contract.ts";

const basePrefix = "workspace-bases/";
/** Which base the workspaces of a type begin with, by what the type says. */
const choicePrefix = "workspace-types/";
const pageEntries = 500;
const sliceWrites = 100;
const sliceBytes = 512 * 1024;

/** The id of the base that was chosen. Undefined: none was made yet. */
export async function chosenBase(kv: Kv, type: string): Promise<string | undefined> {
  const found = await kv.get(choicePrefix + type);
  return found && Buffer.from(found.value).toString();
}

/** Stores the entries as a base, and chooses it; if another server was faster, its base counts. */
export async function storeBase(kv: Kv, type: string, entries: readonly KvEntry[]): Promise<string> {
  const id = randomUUID();
  const writes = entries.map(({ key, value }) => ({ key: `${basePrefix}${id}/${key}`, value, expected: 0n }));
  for (const slice of slicesOf(writes)) await kv.commit(slice);
  try {
    await kv.put(choicePrefix + type, Buffer.from(id), 0n);
    return id;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    await removeBase(kv, id);
    return (await chosenBase(kv, type)) ?? (await storeBase(kv, type, entries));
  }
}

interface BaseChoice {
  readonly type: string;
  readonly base: string;
  readonly revision: bigint;
}

/** All choices in the store: those of types that have changed too. */
export async function choices(kv: Kv): Promise<BaseChoice[]> {
  const { entries } = await kv.range(choicePrefix);
  return entries.map(({ key, value, revision }) => ({
    type: key.slice(choicePrefix.length),
    base: Buffer.from(value).toString(),
    revision,
  }));
}

/** Rejects with a RevisionConflict if it has been removed meanwhile. */
export async function removeChoice(kv: Kv, { type, revision }: BaseChoice): Promise<void> {
  await kv.delete(choicePrefix + type, revision);
}

/** Those of which anything is in the store. */
export async function baseIds(kv: Kv): Promise<string[]> {
  const ids: string[] = [];
  for (let start = basePrefix; ; ) {
    const { entries } = await kv.range(basePrefix, { start, limit: 1, uncounted: true });
    const key = entries[0]?.key;
    if (key === undefined) return ids;
    const id = key.slice(basePrefix.length, key.indexOf("/", basePrefix.length));
    ids.push(id);
    start = `${basePrefix}${id}0`; // the first key behind those that begin with the id and a slash
  }
}

export const removeBase = (kv: Kv, id: string): Promise<void> => deleteUnder(kv, `${basePrefix}${id}/`);

export async function readBase(kv: Kv, id: string): Promise<KvEntry[]> {
  const prefix = `${basePrefix}${id}/`;
  const entries: KvEntry[] = [];
  for (let start = prefix; ; ) {
    const page = await kv.range(prefix, { start, limit: pageEntries, uncounted: true });
    for (const entry of page.entries) entries.push({ ...entry, key: entry.key.slice(prefix.length) });
    if (page.remaining === 0 || page.entries.length === 0) return entries;
    start = `${page.entries.at(-1)?.key ?? ""}\0`;
  }
}

/** In slices, each of which is one commit; what is written meanwhile is removed too. */
export async function deleteUnder(kv: Kv, prefix: string, limit = sliceWrites): Promise<void> {
  for (;;) {
    const { entries } = await kv.range(prefix, { limit, uncounted: true, damaged: true });
    if (entries.length === 0) return;
    try {
      await kv.commit(entries.map(({ key, revision }) => ({ key, expected: revision })));
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
}

function* slicesOf(writes: readonly KvWrite[]): Generator<KvWrite[]> {
  let slice: KvWrite[] = [];
  let bytes = 0;
  for (const write of writes) {
    const size = write.key.length + (write.value?.byteLength ?? 0);
    if (slice.length > 0 && (slice.length >= sliceWrites || bytes + size > sliceBytes)) {
      yield slice;
      [slice, bytes] = [[], 0];
    }
    slice.push(write);
    bytes += size;
  }
  if (slice.length > 0) yield slice;
}
