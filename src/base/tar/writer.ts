/** Writes a tar archive as a stream: ustar, with GNU's entries for long names, which every tar of a container reads. */

import { blockBytes, entryTypes, nameBytesMax, paddingOf, TarError, type TarHeader, writeHeader } from "./header.ts";

export interface TarSource extends TarHeader {
  /** Exactly `size` bytes; for files only. */
  readonly body?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export async function* writeTar(entries: AsyncIterable<TarSource> | Iterable<TarSource>): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    yield* longText(entryTypes.longName, entry.name);
    yield* longText(entryTypes.longLink, entry.linkName);
    yield writeHeader(entry);
    let written = 0;
    for await (const chunk of entry.body ?? []) {
      written += chunk.length;
      if (written > entry.size) throw new TarError(`${entry.name} has grown while it was copied`);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
    if (written < entry.size) throw new TarError(`${entry.name} has shrunk while it was copied`);
    yield Buffer.alloc(paddingOf(entry.size));
  }
  yield Buffer.alloc(2 * blockBytes);
}

function* longText(type: string, text: string): Generator<Buffer> {
  const bytes = Buffer.from(`${text}\u0000`);
  if (bytes.length - 1 <= nameBytesMax) return;
  yield writeHeader({ name: "././@LongLink", type, size: bytes.length, mode: 0, mtime: 0, linkName: "" });
  yield Buffer.concat([bytes, Buffer.alloc(paddingOf(bytes.length))]);
}
