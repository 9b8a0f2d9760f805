/** Reads files that flags name, with errors that say which flag and which file. */

import { readFile } from "node:fs/promises";

/** A file that a flag names cannot be used; the message is for the person who typed it. */
export class FlagFileError extends Error {}

const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "this user has no right to read it",
};

export async function readFlagFile(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new FlagFileError(`--${flag}: cannot read ${path}: ${describeReadProblem(cause)}`, { cause });
  }
}

export function describeReadProblem(cause: unknown): string {
  const code = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.message) : String(cause);
  return problems[code] ?? code;
}

/** Undefined: the flag was not given. */
export async function readOptionalFlagFile(flag: string, path: string): Promise<string | undefined> {
  return path === "" ? undefined : await readFlagFile(flag, path);
}

/** Runs a parser on the text of a file, and adds the file's name to its errors. */
export function useFlagFile<T>(flag: string, path: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new FlagFileError(`--${flag}: ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
