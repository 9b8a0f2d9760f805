/**
 * A socket in a folder that answers for exactly as long as the process that opened it lives. The kernel closes it however the
 * process ends, and it can be reached from other PID namespaces that share the folder, where a process number means nothing.
 */

import { chmodSync, closeSync, openSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";

interface LivenessSocket {
  /** The name of the socket in the folder. */
  readonly name: string;
  /** Removes the socket. */
  close(): void;
}

/** Undefined: this system or file system has no such sockets. */
export async function openLivenessSocket(folder: string): Promise<LivenessSocket | undefined> {
  if (process.platform === "win32") return undefined;
  const name = `lock.${process.pid}.${Math.random().toString(36).slice(2)}.sock`;
  const path = openShortPath(folder, name);
  const server = createServer((socket) => socket.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path: path.text, exclusive: true }, resolve);
    });
    chmodSync(join(folder, name), 0o600);
  } catch {
    path.close();
    return undefined;
  }
  server.unref();
  return {
    name,
    close() {
      server.close();
      path.close();
      rmSync(join(folder, name), { force: true });
    },
  };
}

/** Whether the process that opened the liveness socket still lives. */
export async function isListening(folder: string, name: string): Promise<boolean> {
  const path = openShortPath(folder, name);
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect({ path: path.text });
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      // A full queue of connections belongs to a living process too.
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "EAGAIN"));
    });
  } finally {
    path.close();
  }
}

/** Paths of sockets have at most about a hundred bytes; on Linux an open folder gives any of them a short one. */
function openShortPath(folder: string, name: string): { readonly text: string; close(): void } {
  if (process.platform !== "linux") return { text: join(folder, name), close() {} };
  const handle = openSync(folder, "r");
  return { text: `/proc/self/fd/${handle}/${name}`, close: () => closeSync(handle) };
}
