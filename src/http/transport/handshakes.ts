/**
 * Begins TLS handshakes a few at a time: each is a few milliseconds of work on the event loop, and hundreds of clients that connect
 * together would hold up all others for a second.
 */

import type { Server, Socket } from "node:net";

/** Handshakes that begin in one turn of the event loop. */
export const handshakesAtOnceMax = 8;

type Begin = (socket: Socket) => void;

/**
 * Call it before other listeners of connections are added: what listens now begins the handshake. The server must have
 * `pauseOnConnect`, so that nothing is read from a connection before TLS reads it.
 */
export function spreadHandshakes(server: Server): void {
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
    if (ready.push(socket) === 1) setImmediate(beginSome);
  });
}
