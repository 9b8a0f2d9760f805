/**
 * Closes a connection on which a body is still arriving, so that the client can still read the answer: a socket that is
 * closed with unread bytes is reset, and a client that is still writing then often never sees why it was refused.
 */

import type { IncomingMessage } from "node:http";

/** How long a client may keep sending a body that is not read. */
export const lingerMsMax = 1_000;
/** How many bytes of it; networks and buffers hold less than this. */
export const lingerBytesMax = 16 * 1024 * 1024;

/** Takes effect when Node closes the connection after the answer. */
export function lingerAfter(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    let bytes = 0;
    const timer = setTimeout(() => socket.destroy(), lingerMsMax);
    timer.unref();
    socket.once("close", () => {
      clearTimeout(timer);
      // Node considers the request finished, and would leave code waiting for a body that never arrives.
      request.destroy();
    });
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > lingerBytesMax) socket.destroy();
    });
    request.on("error", () => {});
    request.once("end", () => socket.destroy());
    request.resume();
    socket.end();
  };
}
