/** Makes the bytes of a backup out of a store that may be written to meanwhile. */

import { createHash } from "node:crypto";
import type { Kv } from "../contract.ts";
import { readEntries } from "./entries.ts";
import { type BackupHeader, backupFormat, encodeEntry, encodeHeader, encodeSeal, magic } from "./format.ts";

/** Chunks are joined until they have this size, so that a file or a connection gets few large writes. */
const chunkBytes = 256 * 1024;

export interface BackupOptions {
  readonly kv: Kv;
  readonly about: Omit<BackupHeader, "format" | "revision">;
  /** Whether the key belongs to this store and not to the objects, such as a marker that only this store needs. */
  isLocal?(key: string): boolean;
  /** How many entries are read from the store at a time. */
  readonly pageEntries?: number;
}

/** Chunks of a backup of the newest revision. Values are copied unchanged, encrypted or not. */
export async function* backupChunks({
  kv,
  about,
  isLocal = () => false,
  pageEntries,
}: BackupOptions): AsyncGenerator<Buffer> {
  const { revision, pages } = await readEntries(kv, pageEntries);
  const hash = createHash("sha256");
  let chunk: Buffer[] = [];
  let bytes = 0;
  let entries = 0;
  const add = (record: Buffer): void => {
    chunk.push(record);
    bytes += record.length;
  };
  const take = (): Buffer => {
    const taken = Buffer.concat(chunk, bytes);
    hash.update(taken);
    chunk = [];
    bytes = 0;
    return taken;
  };
  add(magic);
  add(encodeHeader({ format: backupFormat, revision, ...about }));
  for await (const page of pages) {
    for (const entry of page) {
      if (isLocal(entry.key)) continue;
      add(encodeEntry(entry));
      entries += 1;
      if (bytes >= chunkBytes) yield take();
    }
  }
  const rest = take();
  yield Buffer.concat([rest, encodeSeal({ entries, sha256: hash.digest("hex") })]);
}
