/** The server that has a data folder open: its process, and where it serves according to the client configuration of the folder. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serverOf } from "../client/config/print.ts";
import { partsOf } from "./data-folder.ts";
import { readPrivateFile } from "./pki/private-files.ts";

interface RunningServer {
  readonly pid: number;
  /** "": the folder does not say it (yet); only `orch up` writes a client configuration. */
  readonly url: string;
}

/** Undefined: no process has the folder open. */
export async function runningServerOf(folder: string): Promise<RunningServer | undefined> {
  const pid = holderOf(folder);
  if (pid === undefined) return undefined;
  return { pid, url: serverOf((await readPrivateFile(partsOf(folder).clientConfiguration)) ?? "") ?? "" };
}

/** The process that has the store of the folder open, according to its lock; undefined: no running process has. */
export function holderOf(folder: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(partsOf(folder).store, "lock"), "utf8")) as { pid?: unknown };
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}
