/** Whether the objects of --load can be read: a server that is ready without them would mislead, so they are read before it opens. */

import { readObjects } from "../../testkit/load/read-objects.ts";
import { describeReadProblem, FlagFileError } from "./read-file.ts";

export async function checkManifests(flag: string, path: string): Promise<void> {
  if (path === "") return;
  try {
    await readObjects(path);
  } catch (cause) {
    const isOfSystem = cause instanceof Error && "code" in cause && "syscall" in cause;
    const problem = isOfSystem ? `cannot read ${path}: ${describeReadProblem(cause)}` : (cause as Error).message; // ours name the file
    throw new FlagFileError(`--${flag}: ${problem}`, { cause });
  }
}
