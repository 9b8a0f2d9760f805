/** The files of one kustomization: by default only those in or below its folder, wherever links lead. */

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { CtlError } from "../errors.ts";
import { allFilesBytesMax, fileBytesMax, filesMax } from "./limits.ts";

/** Kustomize's words: files must be in or below the folder, or may be anywhere. */
export const loadRestrictors = ["LoadRestrictionsRootOnly", "LoadRestrictionsNone"] as const;
export type LoadRestrictor = (typeof loadRestrictors)[number];

/** How many files and bytes a build has read. */
class ReadingBudget {
  #files = 0;
  #bytes = 0;

  spend(path: string, bytes: number): void {
    this.#files++;
    this.#bytes += bytes;
    if (this.#files > filesMax) throw new CtlError(`${path}: a build reads at most ${filesMax} files`);
    if (this.#bytes > allFilesBytesMax) throw new CtlError(`${path}: a build reads at most ${allFilesBytesMax} bytes`);
  }
}

export class KustomizationFolder {
  /** Without links. */
  readonly path: string;
  readonly #restrictor: LoadRestrictor;
  readonly #budget: ReadingBudget;
  /** The folder that names this one; undefined: the root. */
  readonly #parent: KustomizationFolder | undefined;

  constructor(path: string, restrictor: LoadRestrictor, parent?: KustomizationFolder) {
    if (!existsSync(path))
      throw new CtlError(
        `must build at directory: not a valid directory: evalsymlink failure on '${path}' : lstat ${path}: no such file or directory`,
      );
    this.path = realpathSync(path);
    if (!statSync(this.path).isDirectory())
      throw new CtlError(`must build at directory: '${path}': file is not directory`);
    this.#restrictor = restrictor;
    this.#parent = parent;
    this.#budget = parent === undefined ? new ReadingBudget() : parent.#budget;
  }

  /** A folder of its own: a base may be anywhere, except around a folder that is being built. */
  folder(entry: string): KustomizationFolder {
    const folder = new KustomizationFolder(this.pathOf(entry), this.#restrictor, this);
    for (let at: KustomizationFolder | undefined = this; at !== undefined; at = at.#parent)
      if (at.path === folder.path || at.path.startsWith(folder.path + sep))
        throw new CtlError(`cycle detected: candidate root '${folder.path}' contains visited root '${at.path}'`);
    return folder;
  }

  /** Where the entry is; it need not exist. */
  pathOf(entry: string): string {
    return isAbsolute(entry) ? entry : join(this.path, entry);
  }

  has(entry: string): boolean {
    return existsSync(this.pathOf(entry));
  }

  isFolder(entry: string): boolean {
    return statSync(this.pathOf(entry)).isDirectory();
  }

  /** Throws CtlError. */
  read(entry: string): Buffer {
    const asked = this.pathOf(entry);
    if (!existsSync(asked))
      throw new CtlError(`evalsymlink failure on '${asked}' : lstat ${asked}: no such file or directory`);
    const path = realpathSync(asked);
    if (this.#restrictor === "LoadRestrictionsRootOnly" && !path.startsWith(this.path + sep))
      throw new CtlError(`security; file '${path}' is not in or below '${this.path}'`);
    const stats = statSync(path);
    if (stats.isDirectory()) throw new CtlError(`'${path}' must resolve to a file`);
    if (stats.size > fileBytesMax) throw new CtlError(`${path} has more than ${fileBytesMax} bytes`);
    this.#budget.spend(path, stats.size);
    return readFileSync(path);
  }

  readText(entry: string): string {
    return this.read(entry).toString("utf8");
  }
}
