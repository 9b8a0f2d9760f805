/** The HTTP/2 side of a listener. It is loaded with the first connection that negotiates h2, so that a start does not wait for it. */

import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Log } from "../../base/log.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { ListenerState } from "./http1-exchange.ts";
import { Http2Exchange } from "./http2-exchange.ts";
import { createSessionGuard } from "./session-guard.ts";
import type { Stalls } from "./stall.ts";

/** How many bytes one stream may send before we read them. */
const streamWindowBytes = 262_144;
const sessionMemoryMegabytesMax = 100;

export interface Http2ServerOptions {
  readonly log: Log;
  readonly idleMs: number;
  /** How long a client may take for its first request. */
  readonly firstMs: number;
  readonly streamsMax: number;
  readonly headerBytesMax: number;
  readonly stalls: Stalls;
  readonly state: ListenerState;
  readonly serve: (exchange: Exchange) => void;
}

export interface Http2Server {
  /** Takes a connection from the TLS server, once it has negotiated h2. */
  accept(socket: TLSSocket): void;
  close(): void;
}

export function createHttp2Server(options: Http2ServerOptions): Http2Server {
  const { log, idleMs, firstMs, streamsMax, headerBytesMax, stalls, state, serve } = options;
  const sessions = createSessionGuard(log, { idleMs, firstMs });
  const http2 = createServer({
    settings: {
      maxConcurrentStreams: streamsMax,
      initialWindowSize: streamWindowBytes,
      maxHeaderListSize: headerBytesMax,
      enablePush: false,
    },
    maxSessionMemory: sessionMemoryMegabytesMax,
  });
  http2.on("session", (session) => {
    sessions.add(session);
    if (state.isClosing) session.close();
  });
  http2.on("sessionError", () => {});
  const onStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    raw: readonly string[],
  ) => {
    serve(new Http2Exchange(stream, headers, raw, stalls));
  };
  // Node passes the raw headers too, although its types do not declare them.
  http2.on("stream", onStream as (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number) => void);
  return {
    accept: (socket) => void http2.emit("connection", socket),
    close: () => sessions.close(),
  };
}
