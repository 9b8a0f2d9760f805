/** The connection of a gRPC client: opened for the first call, again after a failure, watched while calls wait, closed when it is silent. */

import { connect, isIP, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls } from "node:tls";
import type { Clock } from "../clock.ts";
import { Http2Connection } from "./http2/connection.ts";
import { GrpcError, grpcCode } from "./status.ts";

/** Where a server listens. `tls` is absent for plain text, which only Unix sockets and tests use. */
export type GrpcTarget =
  | { readonly socket: string }
  | { readonly host: string; readonly port: number; readonly tls?: GrpcTls };

interface GrpcTls {
  /** PEM; absent: the authorities of Node. */
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/** How long a connection may take until the server's settings are there. */
const grpcConnectMs = 5_000;
/** While calls wait, a ping is sent this often: a connection that has silently died must not hold a watch for ever. */
const grpcPingMs = 10_000;
/** How long the answer of a ping may take. */
const grpcPongMs = 5_000;
const backoffFirstMs = 100;
const backoffMaxMs = 1_000;
/** Large answers crawl through the 64 kB that HTTP/2 begins with. */
const windowBytes = 8 * 1024 * 1024;

export class GrpcSession {
  readonly #target: GrpcTarget;
  readonly #clock: Clock;
  /** Its settings have arrived, so it takes calls. */
  #ready: Http2Connection | undefined;
  #opening: Promise<Http2Connection> | undefined;
  /** Also those that are not connected yet. */
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Http2Connection>();
  #failures = 0;
  #failed: { readonly untilMs: number; readonly error: GrpcError } | undefined;
  #calls = 0;
  #stopPings: (() => void) | undefined;

  constructor(target: GrpcTarget, clock: Clock) {
    this.#target = target;
    this.#clock = clock;
  }

  get scheme(): "http" | "https" {
    return "tls" in this.#target && this.#target.tls !== undefined ? "https" : "http";
  }

  /** The authority that requests name. */
  get authority(): string {
    if ("socket" in this.#target) return "localhost";
    const { host, port } = this.#target;
    return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  }

  /** How long a caller that can wait should wait before it opens again. */
  get pauseMs(): number {
    return this.#failed === undefined ? 0 : Math.max(0, this.#failed.untilMs - this.#clock.monotonic());
  }

  /** The open connection, at once if there is one. After a failure it rejects without trying for a moment. */
  open(): Http2Connection | Promise<Http2Connection> {
    if (this.#ready !== undefined) return this.#ready;
    if (this.#failed !== undefined && this.pauseMs > 0) return Promise.reject(this.#failed.error);
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** A call has begun: the process stays alive and the connection is watched until `release`. */
  hold(): void {
    this.#calls += 1;
    if (this.#calls > 1) return;
    this.#ready?.ref();
    this.#watch();
  }

  release(): void {
    this.#calls -= 1;
    if (this.#calls > 0) return;
    this.#ready?.unref();
    this.#stopPings?.();
    this.#stopPings = undefined;
  }

  close(): void {
    this.#stopPings?.();
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): Promise<Http2Connection> {
    return new Promise((resolve, reject) => {
      const { socket, connected, protocol } = this.#newSocket();
      let session: Http2Connection | undefined;
      let last: Error | undefined;
      const cancelTimer = this.#clock.after(grpcConnectMs, () =>
        socket.destroy(new Error(`no answer within ${grpcConnectMs / 1000} seconds`)),
      );
      this.#sockets.add(socket);
      socket.on("error", (error) => {
        last ??= error;
      });
      socket.once(connected, () => {
        const spoken = protocol();
        if (spoken !== "h2")
          return void socket.destroy(new Error(`the server speaks ${spoken || "no HTTP/2"}, not h2`));
        socket.setNoDelay(true);
        session = new Http2Connection(socket, windowBytes, {
          ready: () => {
            cancelTimer();
            this.#ready = session;
            this.#failures = 0;
            this.#failed = undefined;
            if (this.#calls === 0) socket.unref();
            resolve(session!);
          },
          // The server is about to stop: calls that have begun may end, the next one opens another connection.
          going: () => this.#drop(session),
          closed: (error) => {
            last ??= error;
          },
        });
        this.#sessions.add(session);
      });
      socket.on("close", () => {
        cancelTimer();
        this.#sockets.delete(socket);
        if (session !== undefined) this.#sessions.delete(session);
        const wasReady = session !== undefined && this.#ready === session;
        this.#drop(session);
        const error = new GrpcError(grpcCode.unavailable, detailsOf(last), { cause: last });
        if (!wasReady) this.#fail(error);
        reject(error);
      });
    });
  }

  /** `connected`: the event after which `protocol` says what the server speaks. */
  #newSocket(): { readonly socket: Socket; readonly connected: string; protocol(): string } {
    const target = this.#target;
    if ("socket" in target || target.tls === undefined) {
      const socket = "socket" in target ? connect({ path: target.socket }) : connect(target.port, target.host);
      return { socket, connected: "connect", protocol: () => "h2" };
    }
    const { host, port, tls } = target;
    const socket = connectTls({
      host,
      port,
      ALPNProtocols: ["h2"],
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...(tls.cert !== undefined && { cert: tls.cert }),
      ...(tls.key !== undefined && { key: tls.key }),
      rejectUnauthorized: true,
      // TLS knows no addresses as server names. The certificate is checked against the address all the same.
      servername: isIP(host) === 0 ? host : "",
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    });
    return { socket, connected: "secureConnect", protocol: () => socket.alpnProtocol || "" };
  }

  #drop(session: Http2Connection | undefined): void {
    if (session !== undefined && this.#ready === session) this.#ready = undefined;
  }

  #fail(error: GrpcError): void {
    const pauseMs = Math.min(backoffMaxMs, backoffFirstMs * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#failed = { untilMs: this.#clock.monotonic() + pauseMs, error };
  }

  #watch(): void {
    const cancel = this.#clock.after(grpcPingMs, () => {
      for (const session of this.#sessions) this.#ping(session);
      this.#watch();
    });
    this.#stopPings = cancel;
  }

  #ping(session: Http2Connection): void {
    const late = new Error(`a ping was not answered within ${grpcPongMs / 1000} seconds`);
    const cancel = this.#clock.after(grpcPongMs, () => session.destroy(late));
    session.ping(cancel);
  }
}

/** Of a name with several addresses, Node reports all failures and has no message of its own. */
function detailsOf(error: Error | undefined): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(", ");
  return error?.message || "the connection was closed";
}
