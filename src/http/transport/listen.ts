/** One TLS port for HTTP/1.1 and HTTP/2: ALPN decides, each request becomes an Exchange. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, type SecureContextOptions, type TLSSocket } from "node:tls";
import { createSpread } from "../../base/spread.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { Listener, ListenerOptions, ServingCertificate } from "../contract/listener.ts";
import { closePort } from "./close-port.ts";
import { createDirectLane } from "./direct-lane.ts";
import { spreadHandshakes } from "./handshakes.ts";
import { Http1Exchange, type ListenerState } from "./http1-exchange.ts";
import { createLazyHttp2 } from "./lazy-http2.ts";
import { isMalformed, refusal, refuseMalformed } from "./malformed.ts";
import { OpenSockets } from "./open-sockets.ts";
import { createReceiveLimit } from "./receive-limit.ts";
import { createStalls, stallDefaultMs } from "./stall.ts";
import { refuseUnreadable } from "./unreadable.ts";
import { upgradableRequest, WebSocketExchange } from "./websocket-exchange.ts";

export const handshakeTimeoutDefaultMs = 10_000;
/** From the first byte of a request to the end of its headers. */
export const headersTimeoutDefaultMs = 32_000;
/** From the first byte of a request to the end of its body. */
export const requestReceiveTimeoutDefaultMs = 60_000;
/** How long a connection without requests is kept. */
export const idleDefaultMs = 90_000;
/** How often the server looks for connections that are too slow. */
const slowCheckMs = 5_000;
export const headerBytesMax = 65_536;
export const connectionsDefaultMax = 20_000;
export const streamsDefaultMax = 250;
const closeGraceDefaultMs = 10_000;
/** Requests that begin in one turn of the event loop, and fewer if they take long: all that have arrived are read in the same turn. */
export const requestsBegunMax = 64;

export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { log } = options;
  let byServerName = namedContexts(options, options.byServerName);
  const state: ListenerState = { isClosing: false };
  const times = timesOf(options);
  const { requestTimeout, headersTimeout, scanMs, idleMs } = times;
  const receiving = createReceiveLimit(requestTimeout, scanMs);
  const stalls = createStalls(options.stallMs ?? stallDefaultMs);
  const serve = createServe(options);
  const contextOf = (name: string) => contextFor(byServerName, name);
  const http1 = createHttp1(options, { times, state, receiving, stalls, serve, contextOf });

  const streamsMax = options.streamsPerConnectionMax ?? streamsDefaultMax;
  const http2 = createLazyHttp2({
    log,
    idleMs,
    firstMs: headersTimeout,
    streamsMax,
    headerBytesMax,
    stalls,
    state,
    serve,
  });
  // The TLS server of node:https would handle all of HTTP/1.1 itself. It gets connections with unusual requests.
  const http1Listeners = http1.listeners("secureConnection") as ((socket: TLSSocket) => void)[];
  http1.removeAllListeners("secureConnection");
  const direct = createDirectLane({
    serve,
    stalls,
    state,
    handOver(socket) {
      for (const listener of http1Listeners) listener.call(http1, socket);
    },
    headersTimeoutMs: headersTimeout,
    receiveTimeoutMs: requestTimeout,
    idleMs,
    scanMs: Math.min(scanMs, idleMs),
  });
  http1.on("secureConnection", (socket: TLSSocket) => {
    if (socket.alpnProtocol === "h2") http2.accept(socket);
    else direct.accept(socket);
  });
  spreadHandshakes(http1);
  const sockets = new OpenSockets(http1, options.onHandshakeError);

  const port = await listenOn(http1, options);
  http1.on("error", (cause) => log.error("listener failed", { cause }));

  let closed: Promise<void> | undefined;
  return {
    port,
    replaceCertificates(serving, named) {
      const next = namedContexts(options, named ?? options.byServerName);
      http1.setSecureContext(secureOptions(options, serving));
      byServerName = next;
    },
    close(graceMs = closeGraceDefaultMs, quiet = Promise.resolve()) {
      if (closed !== undefined) return closed;
      state.isClosing = true;
      const closeIdle = () => {
        http1.closeIdleConnections();
        direct.closeIdle();
      };
      const ended = closePort({ server: http1, closeIdle, destroyAll: () => sockets.destroyAll() }, graceMs, quiet);
      http2.close();
      closed = ended.then(() => {
        stalls.close();
        receiving.close();
        direct.close();
      });
      return closed;
    },
  };
}

/** How long a client may take for each part of a request, and how often the server looks. */
interface Times {
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly scanMs: number;
  readonly idleMs: number;
}

function timesOf(options: ListenerOptions): Times {
  const requestTimeout = options.requestReceiveTimeoutMs ?? requestReceiveTimeoutDefaultMs;
  const headersTimeout = Math.min(options.headersTimeoutMs ?? headersTimeoutDefaultMs, requestTimeout);
  const scanMs = Math.min(headersTimeout, slowCheckMs);
  return { requestTimeout, headersTimeout, scanMs, idleMs: options.idleMs ?? idleDefaultMs };
}

interface Http1Parts {
  readonly times: Times;
  readonly state: ListenerState;
  readonly receiving: ReturnType<typeof createReceiveLimit>;
  readonly stalls: ReturnType<typeof createStalls>;
  readonly serve: (exchange: Exchange) => void;
  readonly contextOf: (serverName: string) => SecureContext | undefined;
}

/** The TLS server, which also reads the requests over HTTP/1.1 that are not ordinary. */
function createHttp1(options: ListenerOptions, parts: Http1Parts): HttpsServer {
  const { times, state, receiving, stalls, serve, contextOf } = parts;
  const http1 = createServer(
    {
      ...secureOptions(options, options.serving),
      ALPNProtocols: ["h2", "http/1.1"],
      requestCert: true,
      // Authenticators check certificates: an unknown issuer gets a 401 with the reason, not a broken handshake.
      rejectUnauthorized: false,
      handshakeTimeout: options.handshakeTimeoutMs ?? handshakeTimeoutDefaultMs,
      pauseOnConnect: true,
      // Never throws: an unknown server name gets the default certificate.
      SNICallback: (name, answer) => answer(null, contextOf(name)),
      maxHeaderSize: headerBytesMax,
      headersTimeout: times.headersTimeout,
      connectionsCheckingInterval: times.scanMs,
      requestTimeout: 0, // see receive-limit.ts
      keepAliveTimeout: times.idleMs,
      IncomingMessage: upgradableRequest(options.mayUpgrade ?? (() => false)),
    },
    (request: IncomingMessage, response: ServerResponse) => {
      if (isMalformed(request)) return refuseMalformed(request, response);
      const exchange = new Http1Exchange(request, response, stalls, state);
      if (exchange.hasBody) receiving.watch(request, response, exchange);
      serve(exchange);
    },
  );
  http1.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node releases the connection here, and an error on it without a listener would end the process.
    socket.on("error", () => {});
    if (isMalformed(request)) {
      socket.write(refusal(400));
      socket.destroySoon();
      return;
    }
    serve(new WebSocketExchange(request, socket, head, stalls));
  });
  http1.on("clientError", refuseUnreadable);
  http1.maxConnections = options.connectionsMax ?? connectionsDefaultMax;
  return http1;
}

/** The handler deals with every error; this is for a bug in the handler itself. */
function createServe({ handler, log }: ListenerOptions): (exchange: Exchange) => void {
  const spread = createSpread(requestsBegunMax);
  const serve = (exchange: Exchange) => {
    const fail = (cause: unknown) => {
      log.error("request handler failed", { cause });
      exchange.destroy();
    };
    try {
      handler(exchange)?.catch(fail);
    } catch (cause) {
      fail(cause);
    }
  };
  return (exchange) => {
    const turn = spread();
    if (turn === undefined) serve(exchange);
    else void turn.then(() => (exchange.gone ? undefined : serve(exchange)));
  };
}

async function listenOn(server: HttpsServer, { host, port }: Pick<ListenerOptions, "host" | "port">): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function secureOptions(options: ListenerOptions, serving: ServingCertificate): SecureContextOptions {
  return {
    key: serving.key,
    cert: serving.certificate,
    minVersion: options.minVersion ?? "TLSv1.2",
    // Without a list Node parses all public authorities, 30 ms of CPU, and no certificate of a client is judged by them.
    ca: [...(options.clientAuthorities ?? [])],
    ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
  };
}

function namedContexts(
  options: ListenerOptions,
  named: ReadonlyMap<string, ServingCertificate> | undefined,
): ReadonlyMap<string, SecureContext> {
  const contexts = new Map<string, SecureContext>();
  for (const [name, serving] of named ?? []) {
    contexts.set(name.toLowerCase(), createSecureContext(secureOptions(options, serving)));
  }
  return contexts;
}

function contextFor(contexts: ReadonlyMap<string, SecureContext>, name: string): SecureContext | undefined {
  if (contexts.size === 0) return undefined;
  const lower = name.toLowerCase();
  const dot = lower.indexOf(".");
  return contexts.get(lower) ?? (dot < 0 ? undefined : contexts.get(`*${lower.slice(dot)}`));
}
