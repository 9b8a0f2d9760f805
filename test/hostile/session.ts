/** A session of HTTP/2 that is written frame by frame. */

import type { Writable } from "node:stream";
import type { TLSSocket } from "node:tls";
import { frame, headers, preface, request, settings } from "./frames.ts";
import { adminToken, pause, type Target } from "./target.ts";

export interface Session {
  readonly socket: TLSSocket;
  /** Types of the frames that came, with GOAWAY's code as "goaway 11" and a short status of an answer as "status 400". */
  readonly seen: string[];
  /** Whether the server closed the connection within the time. */
  closedWithin(ms: number): Promise<boolean>;
}

/** Statuses that header blocks say in one byte. */
const shortStatuses = new Map([
  [0x88, 200],
  [0x8c, 400],
  [0x8d, 404],
]);

export async function openSession(target: Target, first: Buffer = settings()): Promise<Session> {
  const socket = await target.connect({ ALPNProtocols: ["h2"] });
  const seen: string[] = [];
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9) {
      const length = rest.readUIntBE(0, 3);
      if (rest.length < 9 + length) break;
      const type = rest[3] ?? 0;
      seen.push(type === 7 ? `goaway ${rest.readUInt32BE(13)}` : `${type}`);
      const status = type === 1 ? shortStatuses.get(rest[9] ?? 0) : undefined;
      if (status !== undefined) seen.push(`status ${status}`);
      rest = rest.subarray(9 + length);
    }
  });
  let closed = false;
  socket.once("close", () => {
    closed = true;
  });
  socket.write(Buffer.concat([preface, first]));
  return {
    socket,
    seen,
    async closedWithin(ms) {
      for (const end = performance.now() + ms; !closed && performance.now() < end; ) await pause(20);
      return closed;
    },
  };
}

/** Writes pieces until all are gone or the server has hung up. */
export async function flood(session: Session, pieces: Iterable<Buffer>): Promise<void> {
  const { socket } = session;
  const gone = new Promise((done) => socket.once("close", done));
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (!socket.write(piece)) await drained(socket, gone, 5_000);
  }
}

/** Until more can be written, `other` has come, or the time is over. Leaves no listener behind. */
export async function drained(stream: Writable, other: Promise<unknown>, timeoutMs: number): Promise<void> {
  let go = () => {};
  const drain = new Promise<void>((done) => {
    go = done;
    stream.once("drain", go);
  });
  await Promise.race([drain, other, pause(timeoutMs)]);
  stream.off("drain", go);
}

export function* times(count: number, piece: (at: number) => Buffer): Iterable<Buffer> {
  for (let at = 0; at < count; at += 50) yield Buffer.concat(Array.from({ length: 50 }, (_, i) => piece(at + i)));
}

export const get = (
  stream: number,
  path = "/api/v1/namespaces/default",
  more: readonly (readonly [string, string])[] = [],
) => headers(stream, request("GET", path, [["authorization", `Bearer ${adminToken}`], ...more]), { endStream: true });
export const reset = (stream: number) => frame(3, 0, stream, Buffer.from([0, 0, 0, 8]));
export const id = (at: number) => 2 * at + 1;
