/** Watches over HTTP/2 sessions: ends idle ones, those that only open and reset streams, and all of them on close. */

import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Log } from "../../base/log.ts";

/**
 * Streams that a client may reset within the window: twice what it can have open. The HTTP/2 library stops listening to a
 * connection after a thousand resets without closing it, so this limit must be lower.
 */
export const resetsMax = 500;
const resetWindowMs = 10_000;

interface SessionGuard {
  add(session: ServerHttp2Session): void;
  /** Sends every client a GOAWAY; streams in progress may finish. */
  close(): void;
}

interface SessionLimits {
  /** A connection without open streams for this long is closed. */
  readonly idleMs: number;
  /** So is one whose first stream has not begun: its headers count when they are complete. */
  readonly firstMs: number;
}

/** What a client sends of a stream that never begins would keep a session that only waits for its end. */
const closeGraceMs = 1_000;

export function createSessionGuard(log: Log, { idleMs, firstMs }: SessionLimits): SessionGuard {
  const sessions = new Set<ServerHttp2Session>();
  return {
    add(session) {
      sessions.add(session);
      let idle: NodeJS.Timeout | undefined;
      const endAfter = (ms: number, end: () => void) => {
        clearTimeout(idle);
        idle = setTimeout(end, ms).unref();
      };
      const end = () => {
        session.close();
        endAfter(closeGraceMs, () => session.destroy());
      };
      endAfter(firstMs, end);
      session.once("close", () => {
        clearTimeout(idle);
        sessions.delete(session);
      });
      session.on("error", () => {});
      let open = 0;
      let resets = 0;
      let windowStart = performance.now();
      session.on("stream", (stream: ServerHttp2Stream) => {
        open++;
        clearTimeout(idle);
        stream.once("close", () => {
          if (--open === 0 && !session.destroyed) endAfter(idleMs, end);
          if (stream.rstCode === constants.NGHTTP2_NO_ERROR) return;
          const now = performance.now();
          if (now - windowStart > resetWindowMs) {
            windowStart = now;
            resets = 0;
          }
          if (++resets === resetsMax) {
            log.warn("connection resets too many streams", { remoteAddress: session.socket?.remoteAddress });
            // Newer versions of Node have a limit of their own, and may have destroyed the session by now.
            if (session.destroyed) return;
            session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
            session.destroy();
          }
        });
      });
    },
    close() {
      for (const session of sessions) session.close();
    },
  };
}
