/** The keys in which a store that several servers share (etcd, PostgreSQL) records its vocabulary, its format, and where its revisions begin. */

import { type Kv, RevisionConflict } from "../../kv/contract.ts";
import { withRevisionOffset } from "../../kv/revision-offset.ts";

/**
 * The keys lie outside the registry's prefix, so that no object can have them. Former programs compare the first one with their
 * vocabulary, so everything that they would misread makes it another text:
 *
 *     orch                         format 1: revisions are those of etcd
 *     orch, store format 2         revisions are those of etcd plus what the second key says
 *     orch, restore not finished   a restore began and did not end
 */
const vocabularyKey = "main/vocabulary";
const offsetKey = "main/revision-offset";

/** The newest format of an etcd store that this program knows. */
const formatMax = 2;
const unfinishedSuffix = ", restore not finished";

/** Whether a key belongs to the store itself, and not to the objects that a backup holds. */
export const isLocalKey = (key: string): boolean => key === vocabularyKey || key === offsetKey;

/** How messages name a store, and the flag that chooses another one beside it. */
export interface StoreNames {
  readonly store: string;
  /** "under /registry" */
  readonly place: string;
  readonly otherPlace: string;
}

const etcdNames: StoreNames = { store: "etcd", place: "under its prefix", otherPlace: "--kvstore-prefix" };

interface StoreMark {
  readonly vocabulary: string;
  readonly isFinished: boolean;
  readonly offset: bigint;
}

/** Undefined: the store is new. Throws an Error in one sentence for a store of a newer program. */
export async function readMark(kv: Kv, { store }: StoreNames = etcdNames): Promise<StoreMark | undefined> {
  const entry = await kv.get(vocabularyKey);
  if (entry === undefined) return undefined;
  const text = textOf(entry.value);
  if (text.endsWith(unfinishedSuffix)) {
    return { vocabulary: text.slice(0, -unfinishedSuffix.length), isFinished: false, offset: 0n };
  }
  const [, vocabulary = text, format = "1"] = /^(.*), store format (\d{1,6})$/.exec(text) ?? [];
  if (Number(format) > formatMax) {
    const known = `this program supports formats up to ${formatMax}`;
    throw new Error(`${store} holds a store of format ${format}, and ${known}: use a newer program`);
  }
  if (Number(format) < 2) return { vocabulary, isFinished: true, offset: 0n };
  const offset = textOf((await kv.get(offsetKey))?.value ?? new Uint8Array(0));
  if (!/^\d{1,19}$/.test(offset)) throw new Error(`the key ${offsetKey} in ${store} is damaged: it must hold a number`);
  return { vocabulary, isFinished: true, offset: BigInt(offset) };
}

/** Objects in one vocabulary must not be read in another. Throws an Error that says what to change. */
export async function openMarked(kv: Kv, vocabulary: string, names: StoreNames = etcdNames): Promise<Kv> {
  const mark = (await readMark(kv, names)) ?? (await makeMark(kv, vocabulary));
  const { store, otherPlace } = names;
  if (!mark.isFinished) {
    throw new Error(`a restore into this ${store} did not finish: run it again, or use another ${otherPlace}`);
  }
  if (mark.vocabulary !== vocabulary) {
    const other = `start with --vocabulary=${mark.vocabulary}, or with another ${otherPlace}`;
    throw new Error(`${store} holds objects in the vocabulary "${mark.vocabulary}"; ${other}`);
  }
  return withRevisionOffset(kv, mark.offset);
}

async function makeMark(kv: Kv, vocabulary: string): Promise<StoreMark> {
  await kv.put(vocabularyKey, Buffer.from(vocabulary), 0n).catch((error: unknown) => {
    if (!(error instanceof RevisionConflict)) throw error; // another server was faster
  });
  return (await readMark(kv)) ?? { vocabulary, isFinished: true, offset: 0n };
}

/** Claims the store for a restore: no server, of this or a former program, starts on it until `finishMark`. */
export async function beginMark(kv: Kv, vocabulary: string): Promise<void> {
  const current = await kv.get(vocabularyKey);
  await kv.put(vocabularyKey, Buffer.from(vocabulary + unfinishedSuffix), current?.revision ?? 0n);
}

export async function finishMark(kv: Kv, { vocabulary, offset }: Omit<StoreMark, "isFinished">): Promise<void> {
  const known = await kv.get(offsetKey);
  await kv.put(offsetKey, Buffer.from(String(offset)), known?.revision ?? 0n);
  const current = await kv.get(vocabularyKey);
  await kv.put(vocabularyKey, Buffer.from(`${vocabulary}, store format 2`), current?.revision ?? 0n);
}

function textOf(value: Uint8Array): string {
  return Buffer.from(value).toString("utf8");
}
