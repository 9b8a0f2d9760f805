/** The keys in which an etcd store records its vocabulary, its format, and where its revisions begin. */

import { type Kv, RevisionConflict } from "../kv/contract.ts";
import { withRevisionOffset } from "../kv/revision-offset.ts";

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

interface EtcdMark {
  readonly vocabulary: string;
  readonly isFinished: boolean;
  readonly offset: bigint;
}

/** Undefined: the store is new. Throws an Error in one sentence for a store of a newer program. */
export async function readMark(kv: Kv): Promise<EtcdMark | undefined> {
  const entry = await kv.get(vocabularyKey);
  if (entry === undefined) return undefined;
  const text = textOf(entry.value);
  if (text.endsWith(unfinishedSuffix)) {
    return { vocabulary: text.slice(0, -unfinishedSuffix.length), isFinished: false, offset: 0n };
  }
  const [, vocabulary = text, format = "1"] = /^(.*), store format (\d{1,6})$/.exec(text) ?? [];
  if (Number(format) > formatMax) {
    const known = `this program supports formats up to ${formatMax}`;
    throw new Error(`etcd holds a store of format ${format}, and ${known}: use a newer program`);
  }
  if (Number(format) < 2) return { vocabulary, isFinished: true, offset: 0n };
  const offset = textOf((await kv.get(offsetKey))?.value ?? new Uint8Array(0));
  if (!/^\d{1,19}$/.test(offset)) throw new Error(`the key ${offsetKey} in etcd is damaged: it must hold a number`);
  return { vocabulary, isFinished: true, offset: BigInt(offset) };
}

/** Objects in one vocabulary must not be read in another. Throws an Error that says what to change. */
export async function openMarked(kv: Kv, vocabulary: string): Promise<Kv> {
  const mark = (await readMark(kv)) ?? (await makeMark(kv, vocabulary));
  if (!mark.isFinished) {
    throw new Error("a restore into this etcd did not finish: run it again, or use another --kvstore-prefix");
  }
  if (mark.vocabulary !== vocabulary) {
    const other = `start with --vocabulary=${mark.vocabulary}, or with another --kvstore-prefix`;
    throw new Error(`etcd holds objects in the vocabulary "${mark.vocabulary}"; ${other}`);
  }
  return withRevisionOffset(kv, mark.offset);
}

async function makeMark(kv: Kv, vocabulary: string): Promise<EtcdMark> {
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

export async function finishMark(kv: Kv, { vocabulary, offset }: Omit<EtcdMark, "isFinished">): Promise<void> {
  const known = await kv.get(offsetKey);
  await kv.put(offsetKey, Buffer.from(String(offset)), known?.revision ?? 0n);
  const current = await kv.get(vocabularyKey);
  await kv.put(vocabularyKey, Buffer.from(`${vocabulary}, store format 2`), current?.revision ?? 0n);
}

function textOf(value: Uint8Array): string {
  return Buffer.from(value).toString("utf8");
}
