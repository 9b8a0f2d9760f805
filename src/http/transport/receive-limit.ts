/** Bounds how long the body of a request may take over HTTP/1.1, unless the body is forwarded to another server as it arrives. */

import type { IncomingMessage, ServerResponse } from "node:http";

export interface ReceiveLimit {
  /** Monitors a request until its body is complete. */
  watch(receiving: Receiving): void;
  close(): void;
}

/** A request whose body has not arrived yet. */
export interface Receiving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the body has become a stream to another server, which has limits of its own. */
  readonly isForwarded: () => boolean;
}

/** What Node itself answers to a request that does not arrive in time. */
const tooSlow = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";

/**
 * One periodic scan of all requests, instead of a timer for each. The limit of Node would end long uploads through a proxy too, and
 * cannot be set for single requests.
 */
export function createReceiveLimit(limitMs: number, scanMs: number): ReceiveLimit {
  const since = new Map<Receiving, number>();
  const timer = setInterval(() => {
    const latest = performance.now() - limitMs;
    for (const [receiving, beganMs] of since) {
      if (receiving.request.complete) since.delete(receiving);
      else if (beganMs <= latest && !receiving.isForwarded()) {
        since.delete(receiving);
        end(receiving);
      }
    }
  }, scanMs);
  timer.unref();
  return {
    watch(receiving) {
      since.set(receiving, performance.now());
      receiving.response.once("close", () => since.delete(receiving));
    },
    close() {
      clearInterval(timer);
    },
  };
}

/** An answer that has begun is cut off; otherwise the client is told why. */
function end({ request, response }: Receiving): void {
  const { socket } = request;
  if (!response.headersSent && socket.writable) socket.write(tooSlow);
  socket.destroy();
}
