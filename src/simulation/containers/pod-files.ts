/** The files of a simulated pod: each container has its own, and sees the volumes that it mounts. */

import { posix } from "node:path";
import type { Container } from "../../api/core/v1/pod/container.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { FileError, type Files } from "../shell/host.ts";
import { FileTree, PodSpace } from "./file-tree.ts";
import type { KeptBytes } from "./kept-bytes.ts";

/** Folders that images have. */
const usualFolders = ["bin", "dev", "etc", "home", "mnt", "opt", "proc", "root", "run", "sys", "tmp", "usr", "var"];

interface Mount {
  /** Where the container sees it. */
  readonly path: string;
  readonly volume: string;
  /** The path in the volume that is seen there. */
  readonly inside: string;
  readonly isReadOnly: boolean;
}

/** A place in a tree. */
interface Place {
  readonly tree: FileTree;
  readonly inside: string;
  readonly isReadOnly: boolean;
}

export class PodFiles {
  readonly #space: PodSpace;
  readonly #kept: KeptBytes | undefined;
  readonly #roots = new Map<string, FileTree>();
  readonly #volumes = new Map<string, FileTree>();
  /** Volumes whose content is that of objects. */
  readonly #given = new Map<string, FileTree>();
  readonly #nowMs: () => number;
  #isClearing = false;

  constructor(nowMs: () => number, kept?: KeptBytes) {
    this.#nowMs = nowMs;
    this.#kept = kept;
    this.#space = new PodSpace((bytes) => {
      if (!this.#isClearing) kept?.set(this, bytes);
    });
  }

  /** All files are gone: those of other pods need the space, or the pod is gone. */
  clear(): void {
    this.#isClearing = true;
    for (const tree of [...this.#roots.values(), ...this.#volumes.values()]) tree.clear();
    this.#isClearing = false;
    this.#roots.clear();
    this.#volumes.clear();
    this.#kept?.set(this, 0);
  }

  /** A container that is started again begins with the files of its image. */
  reset(container: string): void {
    this.#roots.get(container)?.clear();
    this.#roots.delete(container);
  }

  /** The files of a volume that shows objects, by path. */
  give(volume: string, files: ReadonlyMap<string, Buffer>): void {
    const tree = new FileTree();
    for (const [path, data] of files) tree.share(path, data);
    this.#given.set(volume, tree);
  }

  /** `expand`: replaces `$(NAME)` in the paths of mounts. */
  of(container: Container, pod: Pod, expand: (text: string) => string = (text) => text): Files {
    const mounts = mountsOf(container, expand);
    const find = (path: string) => this.#find(container, pod, mounts, path);
    const metaOf = (path: string) => {
      const { tree, inside } = find(path);
      return tree.metaOf(inside);
    };
    const writable = (path: string) => {
      const found = find(path);
      if (found.isReadOnly) throw new FileError("Read-only file system");
      return found;
    };
    return {
      read(path) {
        const { tree, inside } = find(path);
        return tree.read(inside);
      },
      kind(path) {
        const { tree, inside } = find(path);
        return tree.kind(inside) ?? (namesBelow(mounts, path).length > 0 ? "folder" : undefined);
      },
      sizeOf: (path) => metaOf(path).size,
      changedMs: (path) => metaOf(path).changedMs,
      metaOf,
      list(path) {
        const { tree, inside } = find(path);
        const [own, below] = [tree.list(inside), namesBelow(mounts, path)];
        return own === undefined && below.length === 0 ? undefined : [...new Set([...(own ?? []), ...below])].sort();
      },
      write: (path, data, how) => {
        const { tree, inside } = writable(path);
        tree.write(inside, data, { appends: how === "append", mode: 0o644, changedMs: this.#nowMs() });
      },
      put(path, data, meta) {
        const { tree, inside } = writable(path);
        tree.write(inside, data, { appends: false, makesFolders: true, ...meta });
      },
      makeFolder: (path) => {
        const { tree, inside } = writable(path);
        tree.makeFolder(inside, this.#nowMs());
      },
      remove(path) {
        const { tree, inside } = writable(path);
        if (mounts.some((mount) => mount.path === path)) throw new FileError("Device or resource busy");
        tree.remove(inside);
      },
    };
  }

  #find(container: Container, pod: Pod, mounts: readonly Mount[], path: string): Place {
    for (const { path: at, volume, inside, isReadOnly } of mounts) {
      if (path !== at && !path.startsWith(at === "/" ? "/" : `${at}/`)) continue;
      const given = this.#given.get(volume);
      const below = posix.join("/", inside, path.slice(at.length));
      return { tree: given ?? this.#volume(volume), inside: below, isReadOnly: isReadOnly || given !== undefined };
    }
    const isReadOnly =
      container.securityContext?.readOnlyRootFilesystem === true && path !== container.terminationMessagePath;
    return { tree: this.#root(container, pod), inside: path, isReadOnly };
  }

  /** A volume that shows no objects is empty at first, and all containers of the pod share it. */
  #volume(name: string): FileTree {
    const known = this.#volumes.get(name) ?? new FileTree(this.#space);
    this.#volumes.set(name, known);
    return known;
  }

  #root({ name, workingDir, terminationMessagePath }: Container, pod: Pod): FileTree {
    const known = this.#roots.get(name);
    if (known !== undefined) return known;
    const tree = new FileTree(this.#space);
    const nowMs = this.#nowMs();
    this.#roots.set(name, tree);
    const made = [...usualFolders, workingDir ?? "", posix.dirname(terminationMessagePath ?? "")];
    for (const folder of made) if (tree.kind(folder) === undefined) tree.makeFolder(folder, nowMs);
    const hostname = hostnameOf(pod);
    const meta = { appends: false, mode: 0o644, changedMs: nowMs };
    tree.write("etc/hostname", Buffer.from(`${hostname}\n`), meta);
    tree.write("etc/hosts", Buffer.from(`127.0.0.1\tlocalhost\n${pod.status?.podIP ?? ""}\t${hostname}\n`), meta);
    return tree;
  }
}

/** The innermost first. */
function mountsOf({ volumeMounts = [] }: Container, expand: (text: string) => string): readonly Mount[] {
  const mounts = volumeMounts.map(({ name, mountPath, subPath, subPathExpr, readOnly }): Mount => {
    const inside = posix.join("/", subPathExpr ? expand(subPathExpr) : (subPath ?? ""));
    return { path: posix.resolve("/", mountPath), volume: name, inside, isReadOnly: readOnly === true };
  });
  return mounts.sort((a, b) => b.path.length - a.path.length);
}

/** The next parts of the paths of mounts below a folder. */
function namesBelow(mounts: readonly Mount[], path: string): readonly string[] {
  const start = path === "/" ? "/" : `${path}/`;
  const below = mounts.filter((mount) => mount.path.startsWith(start) && mount.path !== path);
  return [...new Set(below.map((mount) => mount.path.slice(start.length).split("/")[0] ?? ""))];
}

export const hostnameOf = ({ spec, metadata }: Pod): string => spec?.hostname || metadata.name || "";
