/**
 * Begins TLS handshakes a few at a time: each is a few milliseconds of work on the event loop, and hundreds of clients that connect
 * together would hold up all others for a second. A client that has not sent anything waits outside and costs nothing.
 */

import type { Server, Socket } from "node:net";

/** Handshakes that begin in one turn of the event loop. */
export const handshakesAtOnceMax = 8;

export interface HandshakeOptions {
  /** How long a client may send nothing. */
  readonly timeoutMs: number;
  onTimeout(): void;
}

type Begin = (socket: Socket) => void;

/** Call it before other listeners of connections are added: what listens now begins the handshake. */
export function spreadHandshakes(server: Server, { timeoutMs, onTimeout }: HandshakeOptions): void {
  const listeners = server.listeners("connection") as Begin[];
  server.removeAllListeners("connection");
  const ready: Socket[] = [];

  const beginSome = () => {
    for (const socket of ready.splice(0, handshakesAtOnceMax)) {
      if (!socket.destroyed) for (const begin of listeners) begin.call(server, socket);
    }
    if (ready.length > 0) setImmediate(beginSome);
  };
  server.on("connection", (socket: Socket) => {
    const expire = () => {
      onTimeout();
      socket.destroy();
    };
    socket.setTimeout(timeoutMs, expire);
    // Also when the client closes the connection, whose end the TLS server would otherwise not see.
    socket.once("readable", () => {
      socket.setTimeout(0);
      socket.off("timeout", expire);
      if (ready.push(socket) === 1) setImmediate(beginSome);
    });
  });
}
