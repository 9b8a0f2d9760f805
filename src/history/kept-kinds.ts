/** Which kinds a history keeps, and since when. */

import type { Clock } from "../base/clock.ts";
import { type Kv, type KvHistory, RevisionConflict } from "../kv/contract.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import type { KeptKinds, KeptSince } from "../registry/contract/history.ts";
import { historyKindsKey } from "../registry/keys.ts";

interface KeptKindsOptions {
  readonly kv: Kv;
  readonly history: KvHistory;
  readonly clock: Clock;
  /** Beside the fleeting ones. */
  readonly leftOut: ReadonlySet<FamilyId>;
}

/** What the store remembers: changes that were made while a kind was left out have no notes, and states before them are gone. */
interface Remembered {
  readonly leftOut: readonly string[];
  /** Of kinds that are kept again. */
  readonly since: Readonly<Record<string, { readonly revision: string; readonly atMs: number }>>;
}

export async function openKeptKinds(options: KeptKindsOptions): Promise<KeptKinds> {
  const { leftOut } = options;
  const since = new Map<string, KeptSince>();
  for (const [id, { revision, atMs }] of Object.entries((await remember(options)).since))
    since.set(id, { revision: BigInt(revision), atMs });
  return {
    keeps: ({ id, strategy }) => strategy?.isFleeting !== true && !leftOut.has(id),
    since: (id) => since.get(id),
  };
}

async function remember(options: KeptKindsOptions): Promise<Remembered> {
  const { kv, history, clock, leftOut } = options;
  const found = await kv.get(historyKindsKey);
  const before = found === undefined ? nothing : read(found.value);
  const isOver = ({ revision }: { readonly revision: string }) => BigInt(revision) <= history.oldest.revision;
  const kept = Object.entries(before.since).filter(([, since]) => !isOver(since));
  const again = before.leftOut.filter((id) => !leftOut.has(id as FamilyId));
  const now = { revision: `${await kv.revision()}`, atMs: Math.max(clock.now(), history.oldest.atMs) };
  const next: Remembered = {
    leftOut: [...leftOut].sort(),
    since: Object.fromEntries([...kept, ...again.map((id) => [id, now] as const)]),
  };
  if (JSON.stringify(next) === JSON.stringify(before)) return before;
  try {
    await kv.put(historyKindsKey, Buffer.from(JSON.stringify(next)), found?.revision ?? 0n);
    return next;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    return remember(options); // another server was faster
  }
}

const nothing: Remembered = { leftOut: [], since: {} };

/** As it was written. */
const read = ({ buffer, byteOffset, byteLength }: Uint8Array): Remembered =>
  JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()) as Remembered;
