/** Prevents HTTP/1.1 connections from breaking when large answers and large requests follow each other. */

import type { Socket } from "node:net";

/**
 * Node hands the bytes of a connection straight to its parser, past the stream that could hold them back. When a large answer
 * is still on its way out and the next request comes, it pauses both; but what TLS has decrypted already goes on to the parser
 * that is paused, and the connection of an honest client breaks (HPE_PAUSED). A listener for bytes puts the stream in between,
 * from then on. It costs a few microseconds for each request, so it is done when an answer does not go out at once.
 */
export function readAsStream(socket: Socket | null): void {
  socket?.on("data", ignore);
  socket?.off("data", ignore);
}

function ignore(): void {}
