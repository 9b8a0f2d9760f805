/** The server that has a data folder open: its process, where it serves, and the link of its console. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRunning, type ProcessIdentity, thisProcess } from "../../base/process-identity.ts";
import { serverOf } from "../../client/config/print.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { readPrivateFile, writePrivateFile } from "../pki/private-files.ts";
import { partsOf } from "../stores/data-folder.ts";

interface Serving {
  /** "": the folder does not say it (yet); only `orch up` writes it. */
  readonly url: string;
  /** "": there is none. Who knows it acts as the administrator. */
  readonly console: string;
}

interface RunningServer extends Serving {
  readonly pid: number;
}

/** Undefined: no process has the folder open. */
export async function runningServerOf(folder: string): Promise<RunningServer | undefined> {
  const recorded = await readRunning(folder);
  if (recorded !== undefined) return recorded;
  const pid = holderOf(folder);
  if (pid === undefined) return undefined;
  const url = serverOf((await readPrivateFile(partsOf(folder).clientConfiguration)) ?? "") ?? "";
  return { pid, url, console: "" };
}

const runningPath = (folder: string) => join(folder, "running.json");

/** Says in the folder that this process serves; the store alone says it only where it is in the folder. Returns how to take it back. */
export async function recordRunning(folder: string, serving: Serving): Promise<() => void> {
  const path = runningPath(folder);
  const text = `${JSON.stringify({ ...thisProcess(), ...serving })}\n`;
  await writePrivateFile(path, text);
  return () => {
    if (textAt(path) === text) rmSync(path, { force: true });
  };
}

async function readRunning(folder: string): Promise<RunningServer | undefined> {
  const found = identityIn(await readPrivateFile(runningPath(folder)));
  if (found === undefined || !isRunning(found)) return undefined;
  const { pid, url, console } = found;
  return { pid, url: typeof url === "string" ? url : "", console: typeof console === "string" ? console : "" };
}

/** The process that has the store of the folder open, according to its lock; undefined: no running process has. */
export function holderOf(folder: string): number | undefined {
  const found = identityIn(textAt(join(partsOf(folder).store, "lock")));
  return found !== undefined && isRunning(found) ? found.pid : undefined;
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Undefined: the text names no process, such as after a power loss. */
function identityIn(text: string | undefined): (ProcessIdentity & Readonly<Record<string, unknown>>) | undefined {
  try {
    const found: unknown = JSON.parse(text ?? "");
    if (!isObject(found)) return undefined;
    const { pid, started } = found;
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    return { ...found, pid, started: typeof started === "string" ? started : "" };
  } catch {
    return undefined;
  }
}
