/**
 * Closes a connection on which a body is still coming, without tearing the answer from the client's hands: a socket that is
 * closed with unread bytes is reset, and a client that is still writing then often never sees why it was refused.
 */

import type { IncomingMessage } from "node:http";

/** How long a client may go on sending what nobody reads. */
export const lingerMsMax = 1_000;
/** How much of it; what is already on its way through networks and buffers is less. */
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
      // Node thinks that the request is over, and would not tell whoever still waits for its body that it will not come.
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
