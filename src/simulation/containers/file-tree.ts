/** Files of a simulated container or volume, in memory. */

import { FileError, type FileMeta } from "../shell/host.ts";

/** What one pod may hold, and how many files and folders; names count as well. */
export const podBytesMax = 16 * 1024 * 1024;
export const podEntriesMax = 10_000;
/** What a file or folder costs beside its content and name. */
const entryBytes = 128;
/** A file that is written in many small parts is joined after so many. */
const chunksMax = 256;
const nameBytesMax = 255;
const depthMax = 64;

/** The space of a pod. */
export class PodSpace {
  bytes = 0;
  entries = 0;
  readonly #changed: (bytes: number) => void;

  constructor(changed: (bytes: number) => void = () => {}) {
    this.#changed = changed;
  }

  /** Throws FileError if there is not enough. */
  take(bytes: number, entries = 0): void {
    if (bytes > 0 && (this.bytes + bytes > podBytesMax || this.entries + entries > podEntriesMax))
      throw new FileError("No space left on device");
    this.bytes += bytes;
    this.entries += entries;
    this.#changed(this.bytes);
  }
}

class FileNode {
  chunks: Buffer[] = [];
  size = 0;
  mode = 0o644;
  changedMs = 0;

  get bytes(): Buffer {
    if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }
}

class FolderNode {
  readonly children = new Map<string, FileNode | FolderNode>();
  changedMs = 0;
}

export class FileTree {
  #root = new FolderNode();
  readonly #space: PodSpace;

  /** Files of volumes that others hold as well take no space. */
  constructor(space = new PodSpace()) {
    this.#space = space;
  }

  read(path: string): Buffer | undefined {
    const node = this.#find(path);
    return node instanceof FileNode ? node.bytes : undefined;
  }

  kind(path: string): "file" | "folder" | undefined {
    const node = this.#find(path);
    return node === undefined ? undefined : node instanceof FileNode ? "file" : "folder";
  }

  metaOf(path: string): FileMeta & { readonly size: number } {
    const node = this.#find(path);
    const size = node instanceof FileNode ? node.size : 0;
    return { size, mode: node instanceof FileNode ? node.mode : 0o755, changedMs: node?.changedMs ?? 0 };
  }

  /** Undefined: not a folder. */
  list(path: string): readonly string[] | undefined {
    const node = this.#find(path);
    return node instanceof FolderNode ? [...node.children.keys()].sort() : undefined;
  }

  /** `makesFolders`: those above it are made if they are missing. */
  write(
    path: string,
    data: Buffer,
    how: { readonly appends: boolean; readonly makesFolders?: boolean } & FileMeta,
  ): void {
    const { folder, name } = this.#parent(path, how.makesFolders === true, how.changedMs);
    let node = folder.children.get(name);
    if (node instanceof FolderNode) throw new FileError("Is a directory");
    if (node === undefined) {
      this.#space.take(entryBytes + Buffer.byteLength(name), 1);
      node = new FileNode();
      folder.children.set(name, node);
    }
    if (!how.appends) {
      this.#space.take(-node.size);
      node.chunks = [];
      node.size = 0;
    }
    node.mode = how.mode;
    node.changedMs = how.changedMs;
    if (data.length === 0) return;
    this.#space.take(data.length);
    // A part of a larger buffer would keep all of it.
    node.chunks.push(data.length < data.buffer.byteLength / 2 ? Buffer.from(data) : data);
    node.size += data.length;
    if (node.chunks.length > chunksMax) node.chunks = [node.bytes];
  }

  /** Content that others hold too: it is shared, not copied, and takes no space. */
  share(path: string, data: Buffer): void {
    const { folder, name } = this.#parent(path, true, 0);
    const node = new FileNode();
    node.chunks = [data];
    node.size = data.length;
    folder.children.set(name, node);
  }

  makeFolder(path: string, nowMs: number): void {
    const { folder, name } = this.#parent(path, true, nowMs);
    if (folder.children.has(name)) return;
    this.#addFolder(folder, name, nowMs);
  }

  remove(path: string): void {
    const parts = partsOf(path);
    if (parts.length === 0) return void this.clear();
    const { folder, name } = this.#parent(path, false, 0);
    const node = folder.children.get(name);
    if (node === undefined) throw new FileError("No such file or directory");
    folder.children.delete(name);
    this.#release(name, node);
  }

  clear(): void {
    for (const [name, node] of this.#root.children) this.#release(name, node);
    this.#root = new FolderNode();
  }

  #release(name: string, node: FileNode | FolderNode): void {
    if (node instanceof FolderNode) for (const [child, one] of node.children) this.#release(child, one);
    this.#space.take(-(entryBytes + Buffer.byteLength(name) + (node instanceof FileNode ? node.size : 0)), -1);
  }

  #find(path: string): FileNode | FolderNode | undefined {
    let node: FileNode | FolderNode | undefined = this.#root;
    for (const part of partsOf(path)) node = node instanceof FolderNode ? node.children.get(part) : undefined;
    return node;
  }

  #parent(path: string, makesFolders: boolean, nowMs: number): { readonly folder: FolderNode; readonly name: string } {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) throw new FileError("Is a directory");
    if (parts.length >= depthMax || [...parts, name].some((one) => Buffer.byteLength(one) > nameBytesMax))
      throw new FileError("File name too long");
    let folder = this.#root;
    for (const part of parts) {
      const next: FileNode | FolderNode | undefined = folder.children.get(part);
      if (next instanceof FileNode) throw new FileError("Not a directory");
      if (next === undefined && !makesFolders) throw new FileError("No such file or directory");
      folder = next ?? this.#addFolder(folder, part, nowMs);
    }
    return { folder, name };
  }

  #addFolder(folder: FolderNode, name: string, nowMs: number): FolderNode {
    this.#space.take(entryBytes + Buffer.byteLength(name), 1);
    const made = new FolderNode();
    made.changedMs = nowMs;
    folder.children.set(name, made);
    return made;
  }
}

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");
