/** Bounds how long the body of a request may take over HTTP/1.1, unless the body is forwarded to another server as it arrives. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface ReceiveLimit {
  /** Monitors a request until its body is complete. */
  watch(request: IncomingMessage, response: ServerResponse, exchange: Forwardable): void;
  close(): void;
}

/** Whether the body has become a stream to another server, which has its own limits. */
interface Forwardable {
  readonly isForwarded: boolean;
}

/** A request whose body has not arrived yet. */
interface Receiving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly exchange: Forwardable;
  readonly beganMs: number;
}

/** What Node itself answers to a request that does not arrive in time. */
export const tooSlow = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";

/**
 * One periodic scan of all connections, instead of a timer for each request. The limit of Node would end long uploads through a proxy
 * too, and cannot be set for single requests.
 */
export function createReceiveLimit(limitMs: number, scanMs: number): ReceiveLimit {
  // The newest request of each connection, as bodies arrive one after another on it. A table of requests would change with each of
  // them, and its discarded versions would keep requests in memory until the next full collection.
  const newest = new Map<Socket, Receiving | undefined>();
  const timer = setInterval(() => {
    const latest = performance.now() - limitMs;
    for (const [socket, receiving] of newest) {
      if (receiving === undefined) continue;
      const { request, response, exchange, beganMs } = receiving;
      const isDone = request.complete || response.closed;
      if (!isDone && (beganMs > latest || exchange.isForwarded)) continue;
      newest.set(socket, undefined);
      if (!isDone) end(receiving);
    }
  }, scanMs);
  timer.unref();
  return {
    watch(request, response, exchange) {
      const { socket } = request;
      if (!newest.has(socket)) socket.once("close", () => newest.delete(socket));
      newest.set(socket, { request, response, exchange, beganMs: performance.now() });
    },
    close() {
      clearInterval(timer);
    },
  };
}

/** An answer that has begun is aborted; otherwise the client gets the reason. */
function end({ request, response }: Receiving): void {
  const { socket } = request;
  if (!response.headersSent && socket.writable) socket.write(tooSlow);
  socket.destroy();
}
