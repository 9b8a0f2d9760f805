/** Which kinds a history keeps, and since when. */

import type { Clock } from "../base/clock.ts";
import { type Kv, type KvHistory, RevisionConflict } from "../kv/contract.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import type { KeptKinds, KeptSince } from "../registry/contract/history.ts";
import { historyKindsKey, splitKey } from "../registry/keys.ts";

/** What is over is removed after some more time, in which those end who had begun to read it. */
const shortenedAfterMs = 60_000;

interface KeptKindsOptions {
  readonly kv: Kv;
  readonly history: KvHistory;
  readonly clock: Clock;
  /** Beside the fleeting ones. */
  readonly leftOut: ReadonlySet<FamilyId>;
  /** Of kinds that are kept for a shorter time than others. */
  readonly agesMs: ReadonlyMap<FamilyId, number>;
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
  const ages = await openAges(options);
  return {
    keeps: ({ id, strategy }) => strategy?.isFleeting !== true && !leftOut.has(id),
    since: (id) => later(since.get(id), ages(id)),
  };
}

const later = (one: KeptSince | undefined, other: KeptSince | undefined): KeptSince | undefined =>
  one === undefined || (other !== undefined && other.revision > one.revision) ? other : one;

/** How much further a kind may go back than its age: where its past begins is looked for after so long. */
const ageStepMs = 1_000;

/** Since when kinds are kept that have an age of their own. */
async function openAges({
  history,
  clock,
  agesMs,
}: KeptKindsOptions): Promise<(id: FamilyId) => KeptSince | undefined> {
  const begins = new Map<FamilyId, KeptSince>();
  for (const [id, ageMs] of agesMs) {
    const atMs = clock.now() - ageMs;
    begins.set(id, { atMs, revision: await history.revisionAt(atMs) });
  }
  history.shorten?.(
    [...agesMs].map(([id, ageMs]) => ({
      // A list that began with the oldest changes can still be read to its end.
      ageMs: ageMs + shortenedAfterMs,
      concerns: (key) => splitKey(key)?.family === id,
    })),
  );
  return (id) => {
    const ageMs = agesMs.get(id);
    if (ageMs === undefined) return undefined;
    const known = begins.get(id)!;
    const atMs = clock.now() - ageMs;
    if (atMs - known.atMs < ageStepMs) return known;
    const found = history.revisionAt(atMs);
    const begin = (revision: bigint): KeptSince => {
      const next = { atMs, revision };
      begins.set(id, next);
      return next;
    };
    // With other servers it has to be asked for; until then it is that of a moment ago.
    if (typeof found === "bigint") return begin(found);
    begins.set(id, { atMs, revision: known.revision });
    found.then(begin, () => {});
    return known;
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
