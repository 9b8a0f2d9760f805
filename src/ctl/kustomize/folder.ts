/** The files of one kustomization: by default only those in or below its folder, wherever links lead. */

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { CtlError } from "../errors.ts";

/** Kustomize's words: files must be in or below the folder, or may be anywhere. */
export const loadRestrictors = ["LoadRestrictionsRootOnly", "LoadRestrictionsNone"] as const;
export type LoadRestrictor = (typeof loadRestrictors)[number];

export class KustomizationFolder {
  /** Without links. */
  readonly path: string;
  readonly #restrictor: LoadRestrictor;

  constructor(path: string, restrictor: LoadRestrictor) {
    if (!existsSync(path))
      throw new CtlError(
        `must build at directory: not a valid directory: evalsymlink failure on '${path}' : lstat ${path}: no such file or directory`,
      );
    this.path = realpathSync(path);
    this.#restrictor = restrictor;
  }

  /** A folder of its own: a base may be anywhere. */
  folder(entry: string): KustomizationFolder {
    return new KustomizationFolder(join(this.path, entry), this.#restrictor);
  }

  /** Where the entry is; it need not exist. */
  pathOf(entry: string): string {
    return join(this.path, entry);
  }

  has(entry: string): boolean {
    return existsSync(this.pathOf(entry));
  }

  isFolder(entry: string): boolean {
    return statSync(this.pathOf(entry)).isDirectory();
  }

  /** Throws what the system throws if there is no such file. */
  read(entry: string): Buffer {
    const path = realpathSync(this.pathOf(entry));
    if (this.#restrictor === "LoadRestrictionsRootOnly" && !path.startsWith(this.path + sep))
      throw new CtlError(`security; file '${path}' is not in or below '${this.path}'`);
    return readFileSync(path);
  }

  readText(entry: string): string {
    return this.read(entry).toString("utf8");
  }
}
