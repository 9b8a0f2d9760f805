/** Compares what a store holds after a crash with the acknowledgements that its writers received. */

import type { Kv, KvEntry } from "../../src/kv/contract.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { historyBounds, isNoted, type Line } from "./journal.ts";

/** The contents of a store when it was last read. */
export interface Known {
  readonly revision: bigint;
  readonly keys: ReadonlyMap<string, KvEntry>;
}

export const nothingKnown: Known = { revision: 0n, keys: new Map() };

/** The values that a key may have: the last acknowledged one, or one that was attempted after that. */
interface Expectation {
  acknowledged: { readonly tag: string; readonly revision: bigint } | undefined;
  tried: string[];
}

/** What a folder holds, without checking it. */
export async function look(folder: string): Promise<Known> {
  const kv = await openEmbeddedKv({ folder, historyMs: 60_000 });
  try {
    const { entries, revision } = await kv.range("");
    return { revision, keys: new Map(entries.map((entry) => [entry.key, entry])) };
  } finally {
    await kv.close();
  }
}

/** Opens the folder and throws at a broken promise; `lines` are what happened since `known`. Returns what is there now. */
export async function verify(
  folder: string,
  known: Known,
  lines: readonly Line[],
  { forgetting = false } = {},
): Promise<Known> {
  const kv = await openEmbeddedKv({ folder, historyMs: 60_000, ...(!forgetting && { noted: historyBounds }) });
  try {
    const revision = await kv.revision();
    if (revision < known.revision) throw new Error(`the store went back from ${known.revision} to ${revision}`);
    const expected = expectations(known, lines, revision);
    const keys = new Map((await kv.range("")).entries.map((entry) => [entry.key, entry]));
    for (const [key, expectation] of expected) checkKeyState(key, expectation, keys.get(key));
    checkCommits(lines, keys);
    for (const key of keys.keys()) if (!expected.has(key)) throw new Error(`${key} came from nowhere`);
    await checkHistory(kv, revision);
    if (!forgetting) await checkNotes(kv, lines);
    return { revision, keys };
  } finally {
    await kv.close();
  }
}

function expectations(known: Known, lines: readonly Line[], revision: bigint): Map<string, Expectation> {
  const expected = new Map<string, Expectation>();
  for (const [key, entry] of known.keys) {
    expected.set(key, { acknowledged: { tag: tagOf(entry), revision: entry.revision }, tried: [] });
  }
  const used = new Set<string>();
  for (const line of lines) {
    if (line.at === "open" && BigInt(line.revision) !== known.revision) {
      throw new Error(`the writer opened at revision ${line.revision}, and the store was at ${known.revision}`);
    }
    if (line.at === "saw" && BigInt(line.revision) > revision) {
      throw new Error(`revision ${line.revision} was shown to a watcher and is lost`);
    }
    if (line.at !== "try" && line.at !== "done") continue;
    const expectation = expected.get(line.key) ?? { acknowledged: undefined, tried: [] };
    expected.set(line.key, expectation);
    if (line.at === "try") {
      expectation.tried.push(line.tag);
      continue;
    }
    const acknowledged = BigInt(line.revision);
    if (acknowledged <= known.revision) throw new Error(`revision ${acknowledged} went back below ${known.revision}`);
    if (acknowledged > revision) throw new Error(`revision ${acknowledged} was acknowledged and is lost`);
    if (used.has(line.revision)) throw new Error(`revision ${acknowledged} was used twice`);
    used.add(line.revision);
    expectation.acknowledged = { tag: line.tag, revision: acknowledged };
    expectation.tried = [];
  }
  return expected;
}

function checkKeyState(key: string, { acknowledged, tried }: Expectation, found: KvEntry | undefined): void {
  const tag = found === undefined ? "" : tagOf(found);
  const lastTag = acknowledged?.tag ?? "";
  if (tag !== lastTag && !tried.includes(tag)) {
    throw new Error(`${key} holds "${tag}"; "${lastTag}" was acknowledged and ${JSON.stringify(tried)} tried after`);
  }
  if (
    found !== undefined &&
    tag === lastTag &&
    acknowledged !== undefined &&
    found.revision !== acknowledged.revision
  ) {
    throw new Error(`${key} is at ${found.revision} and was acknowledged at ${acknowledged.revision}`);
  }
  if (found !== undefined && acknowledged !== undefined && found.revision < acknowledged.revision) {
    throw new Error(`${key} went back from ${acknowledged.revision} to ${found.revision}`);
  }
}

/** Of a commit that was not acknowledged, all writes are there or none is. */
function checkCommits(lines: readonly Line[], found: ReadonlyMap<string, KvEntry>): void {
  const open = new Map<string, { readonly tag: string; readonly commit: string }>();
  /** Whether a commit is there. */
  const outcomes = new Map<string, boolean>();
  for (const line of lines) {
    if (line.at !== "try" && line.at !== "done") continue;
    const commit = open.get(line.key)?.commit;
    if (line.at === "done" && commit !== undefined) outcomes.set(commit, true);
    if (line.at === "try" && line.commit !== undefined) open.set(line.key, { tag: line.tag, commit: line.commit });
    else open.delete(line.key);
  }
  for (const [key, { tag, commit }] of open) {
    const entry = found.get(key);
    const isWritten = (entry === undefined ? "" : tagOf(entry)) === tag;
    if ((outcomes.get(commit) ?? isWritten) !== isWritten) throw new Error(`the commit ${commit} is there in part`);
    outcomes.set(commit, isWritten);
  }
}

/** What is left of history has no gap and leads to the present state. */
async function checkHistory(kv: Kv, revision: bigint): Promise<void> {
  const oldest = await oldestOf(kv);
  const state = new Map((await kv.range("", { revision: oldest })).entries.map((entry) => [entry.key, entry.revision]));
  let at = oldest;
  if (oldest < revision) {
    for await (const { changes, revision: reached } of kv.watch("", oldest, new AbortController().signal)) {
      for (const change of changes) {
        at += 1n;
        if (change.revision !== at) throw new Error(`history has ${change.revision} where ${at} should be`);
        if (change.value !== undefined) state.set(change.key, change.revision);
        else if (!state.delete(change.key))
          throw new Error(`the change ${at} deletes ${change.key}, which is not there`);
      }
      if (reached >= revision) break;
    }
  }
  for (const entry of (await kv.range("")).entries) {
    if (state.get(entry.key) !== entry.revision) throw new Error(`history does not lead to the state of ${entry.key}`);
    state.delete(entry.key);
  }
  if (state.size > 0) throw new Error(`history leads to keys that are not there: ${[...state.keys()].join(" ")}`);
}

/** Each acknowledged write that is not too old has its note, and both the states that it lies between. */
async function checkNotes(kv: Kv, lines: readonly Line[]): Promise<void> {
  const history = kv.history!()!;
  const { revision: oldest } = history.oldest;
  if (history.bytes > historyBounds.bytesMax) throw new Error(`the history has ${history.bytes} bytes`);
  for (const line of lines) {
    if (line.at !== "done" || !isNoted(line.key) || BigInt(line.revision) <= oldest) continue;
    const found = await history.change(BigInt(line.revision));
    if (found?.key !== line.key || Buffer.from(found.note).toString() !== line.tag)
      throw new Error(`the change of ${line.key} at ${line.revision} has lost its note`);
  }
  const later = new Map<string, bigint>();
  for await (const page of history.changes({})) {
    for (const { key, revision, previous, deleted, note } of page) {
      const state = await history.valueAt(key, revision);
      const tag = state === undefined ? "" : tagOf(state);
      if (tag !== Buffer.from(note).toString() || deleted !== (state === undefined))
        throw new Error(`the state of ${key} at ${revision} is not that of its note`);
      if (((await history.valueAt(key, revision - 1n))?.revision ?? 0n) !== previous)
        throw new Error(`the state of ${key} before ${revision} is lost`);
      const next = later.get(key);
      if (next !== undefined && next !== revision && !(next === 0n && deleted))
        throw new Error(`the history of ${key} has a gap after ${revision}`);
      later.set(key, previous);
    }
  }
}

async function oldestOf(kv: Kv): Promise<bigint> {
  try {
    await kv.range("", { revision: 0n, limit: 1 });
    return 0n;
  } catch (error) {
    return (error as { oldest: bigint }).oldest; // RevisionCompacted has it; anything else fails in the next step
  }
}

function tagOf(entry: KvEntry): string {
  return Buffer.from(entry.value).toString().replace(/\.+$/, "");
}
