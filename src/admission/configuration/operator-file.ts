/** A file that an operator wrote, and how to read the files that it names. */

import { dirname, resolve } from "node:path";
import { decodeYaml } from "../../machinery/codec/yaml.ts";

export interface OperatorFile {
  readonly path: string;
  readonly text: string;
  /** Reads a file that this one names; a relative path starts in the folder of this file. Throws an Error that names the path. */
  open(path: string): OperatorFile;
}

/** `read` throws an Error that says which file cannot be read, and why. */
export function operatorFile(path: string, text: string, read: (path: string) => string): OperatorFile {
  return {
    path,
    text,
    open(named) {
      const full = resolve(dirname(path), named);
      return operatorFile(full, read(full), read);
    },
  };
}

/** The JSON value of YAML or JSON text. Throws an Error that names the file. */
export function decodeFile({ path, text }: OperatorFile): unknown {
  try {
    return decodeYaml(Buffer.from(text));
  } catch (cause) {
    throw new Error(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
