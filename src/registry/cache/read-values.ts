/** Decrypts stored values, once, before the cache takes them. */

import type { KvChange, KvEntry } from "../../kv/contract.ts";
import { type Transformed, type Transformer, Unreadable } from "../contract/transformer.ts";

/** A stored value with its content, or why it has none. */
export interface ReadValue extends Transformed {
  readonly stored: Uint8Array;
  /** Absent: `value` is the content. */
  readonly error?: Error;
}

/** A change or an entry of the store; `read` is absent for a delete. */
export interface ReadChange {
  readonly key: string;
  readonly revision: bigint;
  readonly read?: ReadValue;
}

/** How many values are decrypted by another process at the same time. */
export const decryptionsAtOnceMax = 16;

export interface ValueReader {
  readonly transformer: Transformer;
  /** The content of bytes that this process has just written: they need not be decrypted. */
  own(stored: Uint8Array): Transformed | undefined;
}

/** Synchronous where nothing has to be awaited. One unreadable value does not keep the others from being read. */
export function readValues(
  changes: readonly (KvChange | KvEntry)[],
  reader: ValueReader,
): readonly ReadChange[] | Promise<readonly ReadChange[]> {
  const results: ReadChange[] = [];
  for (const [index, change] of changes.entries()) {
    const read = readChange(change, reader);
    if (read instanceof Promise) return readRest(changes, reader, results, index, read);
    results.push(read);
  }
  return results;
}

/** If one value has to be awaited, most of the others have to be as well. */
async function readRest(
  changes: readonly (KvChange | KvEntry)[],
  reader: ValueReader,
  results: ReadChange[],
  from: number,
  first: Promise<ReadChange>,
): Promise<readonly ReadChange[]> {
  let waiting: (ReadChange | Promise<ReadChange>)[] = [first];
  for (let index = from + 1; index < changes.length; index += 1) {
    if (waiting.length >= decryptionsAtOnceMax) {
      results.push(...(await Promise.all(waiting)));
      waiting = [];
    }
    waiting.push(readChange(changes[index]!, reader));
  }
  results.push(...(await Promise.all(waiting)));
  return results;
}

function readChange(change: KvChange | KvEntry, reader: ValueReader): ReadChange | Promise<ReadChange> {
  const { key, revision, value: stored } = change;
  if (stored === undefined) return { key, revision };
  if ("damage" in change && change.damage !== undefined) return { key, revision, read: failed(stored, change.damage) };
  const read = readValue(key, stored, reader);
  return read instanceof Promise ? read.then((done) => ({ key, revision, read: done })) : { key, revision, read };
}

/** Never throws and never rejects for a value that cannot be read. */
function readValue(key: string, stored: Uint8Array, reader: ValueReader): ReadValue | Promise<ReadValue> {
  const known = reader.own(stored);
  if (known !== undefined) return content(stored, known);
  try {
    const read = reader.transformer.fromStorage(key, stored);
    if (!(read instanceof Promise)) return content(stored, read);
    return read.then(
      (done) => content(stored, done),
      (error: unknown) => failed(stored, error),
    );
  } catch (error) {
    return failed(stored, error);
  }
}

const content = (stored: Uint8Array, { value, keyId }: Transformed): ReadValue => ({ stored, value, keyId });

function failed(stored: Uint8Array, error: unknown): ReadValue {
  const reason = error instanceof Error ? error : new Unreadable(String(error));
  return { stored, value: stored, keyId: "", error: reason };
}
