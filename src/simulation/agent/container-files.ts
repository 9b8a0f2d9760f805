/** Files that clients copy into simulated containers, in memory: enough for `cp` in both directions. */

import { posix } from "node:path";
import { entryTypes } from "../../base/tar/header.ts";
import { readTar } from "../../base/tar/reader.ts";
import { type TarSource, writeTar } from "../../base/tar/writer.ts";

/** What one container may hold, and all together; beyond that the container that was changed longest ago loses its files. */
const containerBytesMax = 16 * 1024 * 1024;
const allBytesMax = 128 * 1024 * 1024;

interface File {
  readonly bytes: Buffer;
  readonly mode: number;
  readonly mtime: number;
}

class Folder {
  /** By absolute path. */
  readonly files = new Map<string, File>();
  bytes = 0;

  put(path: string, file: File): void {
    this.bytes += file.bytes.length - (this.files.get(path)?.bytes.length ?? 0);
    this.files.set(path, file);
  }
}

export class NoSpace extends Error {}

export class ContainerFiles {
  /** By uid of the pod and name of the container, the one changed longest ago first. */
  readonly #containers = new Map<string, Folder>();

  /** As `tar -x`: puts the files of an archive below a folder. */
  async extract(key: string, folder: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const { name, type, mode, mtime, body } of readTar(archive)) {
      if (type !== entryTypes.file) continue;
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > containerBytesMax) throw new NoSpace(`a container may hold ${containerBytesMax} bytes`);
      }
      this.#put(key, posix.resolve("/", folder, name), { bytes: Buffer.concat(chunks), mode, mtime });
    }
  }

  /** As `tar -c`: undefined if nothing is there. */
  archive(key: string, path: string): AsyncGenerator<Buffer> | undefined {
    const wanted = posix.resolve("/", path);
    const found = [...(this.#containers.get(key)?.files ?? [])].filter(
      ([name]) => name === wanted || name.startsWith(wanted === "/" ? "/" : `${wanted}/`),
    );
    if (found.length === 0) return undefined;
    return writeTar(
      found.map(([name, { bytes, mode, mtime }]): TarSource => {
        const header = { name: name.slice(1), type: entryTypes.file, size: bytes.length, mode, mtime, linkName: "" };
        return { ...header, body: [bytes] };
      }),
    );
  }

  read(key: string, path: string): Buffer | undefined {
    return this.#containers.get(key)?.files.get(posix.resolve("/", path))?.bytes;
  }

  /** A folder is there if a file is below it. The root and /tmp always are. */
  isFolder(key: string, path: string): boolean {
    const wanted = posix.resolve("/", path);
    if (wanted === "/" || wanted === "/tmp") return true;
    return [...(this.#containers.get(key)?.files.keys() ?? [])].some((name) => name.startsWith(`${wanted}/`));
  }

  #put(key: string, path: string, file: File): void {
    const folder = this.#containers.get(key) ?? new Folder();
    this.#containers.delete(key);
    this.#containers.set(key, folder);
    folder.put(path, file);
    if (folder.bytes > containerBytesMax) {
      this.#containers.delete(key);
      throw new NoSpace(`a container may hold ${containerBytesMax} bytes`);
    }
    let all = [...this.#containers.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [oldest, { bytes }] of this.#containers) {
      if (all <= allBytesMax) break;
      this.#containers.delete(oldest);
      all -= bytes;
    }
  }
}
