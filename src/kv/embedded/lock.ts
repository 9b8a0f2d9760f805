/** The file that says which process has the folder open. */

import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRunning, type ProcessIdentity, thisProcess } from "../../base/process-identity.ts";
import { KvError } from "../contract.ts";
import { crashPoint } from "./crash-point.ts";
import { isListening, openLivenessSocket } from "./liveness-socket.ts";

interface Holder extends ProcessIdentity {
  /** The name of its liveness socket: where there is one, it alone decides whether the process lives. */
  readonly socket?: string;
}

/** A process has the folder open: this one, or another. */
export class FolderInUse extends KvError {
  constructor(folder: string, pid: number | undefined) {
    const who = pid === process.pid ? "this process" : pid === undefined ? "another process" : `process ${pid}`;
    // The store is a folder inside the one that the flag names.
    const how = pid === process.pid ? "" : `: orch stop --data-dir=${dirname(folder)}`;
    super("unavailable", `the folder ${folder} is already open in ${who}; stop that first${how}`);
  }
}

/** Takes the lock or throws, naming the holder. The returned function releases it. */
export async function takeLock(folder: string): Promise<() => void> {
  // Opened before the lock is taken, so that a lock that names a closed socket is always stale.
  const socket = await openLivenessSocket(folder);
  try {
    const unlock = await takeFile(folder, socket?.name);
    return () => {
      unlock();
      socket?.close();
    };
  } catch (error) {
    socket?.close();
    throw error;
  }
}

async function takeFile(folder: string, socket: string | undefined): Promise<() => void> {
  const path = join(folder, "lock");
  const holder: Holder = { ...thisProcess(), ...(socket ? { socket } : {}) };
  const mine = JSON.stringify(holder);
  const draft = join(folder, `lock.${process.pid}.${Math.random().toString(36).slice(2)}`);
  writeFileSync(draft, mine, { mode: 0o600, flag: "wx" });
  chmodSync(draft, 0o600); // the umask may have removed our own permissions
  crashPoint("lock: draft written");
  try {
    // Three tries: a holder may end, or another starter may win, between our check and our attempt to take the lock.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (tryLink(draft, path)) {
        crashPoint("lock: linked");
        return () => {
          if (readText(path) === mine) rmSync(path, { force: true });
        };
      }
      const found = readText(path);
      if (found === undefined) continue;
      const holder = parseHolder(found);
      if (holder !== undefined && (await isAlive(folder, holder))) throw new FolderInUse(folder, holder.pid);
      crashPoint("lock: stale one found");
      removeStale(path, found, draft);
      if (holder?.socket !== undefined) rmSync(join(folder, holder.socket), { force: true });
      crashPoint("lock: stale one removed");
    }
    throw new FolderInUse(folder, parseHolder(readText(path) ?? "")?.pid);
  } finally {
    rmSync(draft, { force: true });
    crashPoint("lock: draft removed");
  }
}

/** A link is made whole or not at all, so no process reads a lock file that is half written. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Moves the lock of a dead process aside; if it has been replaced in the meantime the newer one is put back. */
function removeStale(path: string, judged: string, draft: string): void {
  const aside = `${draft}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  crashPoint("lock: stale one moved aside");
  if (readText(aside) !== judged) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, started, socket } = JSON.parse(text) as Partial<Holder>; // checked below
    if (!Number.isSafeInteger(pid) || pid! <= 0 || typeof started !== "string") return undefined;
    const isName = typeof socket === "string" && /^lock\.[\w.]+\.sock$/.test(socket);
    return { pid: pid!, started, ...(isName ? { socket } : {}) };
  } catch {
    // Not ours, or torn by a power loss: the process that wrote it has ended.
  }
  return undefined;
}

async function isAlive(folder: string, holder: Holder): Promise<boolean> {
  return holder.socket === undefined ? isRunning(holder) : isListening(folder, holder.socket);
}
