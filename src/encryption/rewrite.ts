/** Rewrites stored objects with the current keys, without changing the objects. */

import { type Kv, type KvEntry, type KvHistoryRewrite, RevisionConflict } from "../kv/contract.ts";
import type { Transformer } from "../registry/contract/transformer.ts";
import { familyInKey } from "./transformer.ts";

interface StoreRewrite {
  readonly kv: Pick<Kv, "get" | "put" | "delete" | "forgetHistory" | "rewriteHistory">;
  readonly transformer: Transformer;
  /** The note of a rewrite, where the history goes on. */
  readonly note: Uint8Array;
  readonly pages: AsyncIterable<readonly KvEntry[]>;
  /** The key of the store with which an entry was encrypted, if it is not its own. Undefined: the entry is not an object. */
  objectKey(entry: Pick<KvEntry, "key" | "value">): string | undefined;
  /** Keys of objects that are removed if they cannot be read. */
  readonly discard: ReadonlySet<string>;
  onProgress?(outcome: RewriteOutcome): void;
}

export interface RewriteOutcome {
  /** Objects that were checked. */
  objects: number;
  rewritten: number;
  discarded: number;
  /** States of the past that were rewritten, and those that could not be. */
  past: { readonly states: number; readonly failed: number };
  /** Objects that cannot be read or written, with the reason. They are not changed. */
  readonly failed: { readonly key: string; readonly reason: string }[];
}

/** How often an object that others keep changing is tried. */
const attemptsMax = 10;

/** Safe while servers use the same store: each object is replaced only if it has not changed since it was read. */
export async function rewriteAll(rewrite: StoreRewrite): Promise<RewriteOutcome> {
  const { kv, transformer, pages, objectKey, discard, onProgress } = rewrite;
  const outcome: RewriteOutcome = {
    objects: 0,
    rewritten: 0,
    discarded: 0,
    past: { states: 0, failed: 0 },
    failed: [],
  };
  for await (const page of pages) {
    for (const entry of page) {
      if (objectKey(entry) === undefined) continue;
      outcome.objects += 1;
      try {
        if (await rewriteOne(rewrite, entry)) outcome.rewritten += 1;
      } catch (error) {
        if (discard.has(entry.key)) {
          await kv.delete(entry.key, entry.revision);
          outcome.discarded += 1;
        } else {
          outcome.failed.push({ key: entry.key, reason: error instanceof Error ? error.message : String(error) });
        }
      }
      onProgress?.(outcome);
    }
  }
  // Former states are encrypted as they were then, also of objects that needed no rewrite.
  if (kv.rewriteHistory === undefined) await kv.forgetHistory?.();
  else outcome.past = await kv.rewriteHistory(pastWith({ transformer, objectKey }));
  onProgress?.(outcome);
  return outcome;
}

function pastWith({ transformer, objectKey }: Pick<StoreRewrite, "transformer" | "objectKey">): KvHistoryRewrite {
  const unread = new Uint8Array();
  return {
    concerns(key) {
      const known = objectKey({ key, value: unread });
      return known !== undefined && transformer.encrypts(familyInKey(known));
    },
    async rewrite(key, stored) {
      const known = objectKey({ key, value: stored });
      if (known === undefined) return undefined;
      const { value, keyId } = await transformer.fromStorage(known, stored);
      if (keyId === transformer.writesWith(familyInKey(known))) return undefined;
      return (await transformer.toStorage(known, value)).value;
    },
  };
}

/** Whether it had to be written. */
async function rewriteOne(
  { kv, transformer, objectKey, note }: Pick<StoreRewrite, "kv" | "transformer" | "objectKey" | "note">,
  found: KvEntry,
): Promise<boolean> {
  const { key } = found;
  let entry: KvEntry | undefined = found;
  for (let attempt = 1; entry !== undefined; attempt += 1) {
    const known = objectKey(entry);
    if (known === undefined) return false;
    const { value, keyId } = await transformer.fromStorage(known, entry.value);
    if (keyId === transformer.writesWith(familyInKey(known))) return false;
    const next = await transformer.toStorage(known, value);
    try {
      await kv.put(key, next.value, entry.revision, kv.rewriteHistory && note);
      return true;
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt >= attemptsMax) throw error;
      entry = await kv.get(key);
    }
  }
  return false; // deleted meanwhile
}
