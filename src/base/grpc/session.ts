/** The connection of a gRPC client: opened for the first call, again after a failure, watched while calls wait, closed when it is silent. */

import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectSocket, isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import type { Clock } from "../clock.ts";
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
  #ready: ClientHttp2Session | undefined;
  #opening: Promise<ClientHttp2Session> | undefined;
  readonly #sessions = new Set<ClientHttp2Session>();
  #failures = 0;
  #failed: { readonly untilMs: number; readonly error: GrpcError } | undefined;
  #calls = 0;
  #stopPings: (() => void) | undefined;

  constructor(target: GrpcTarget, clock: Clock) {
    this.#target = target;
    this.#clock = clock;
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
  open(): ClientHttp2Session | Promise<ClientHttp2Session> {
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
    for (const session of this.#sessions) session.destroy();
  }

  #connect(): Promise<ClientHttp2Session> {
    return new Promise((resolve, reject) => {
      const session = this.#newSession();
      this.#sessions.add(session);
      let last: Error | undefined;
      const cancelTimer = this.#clock.after(grpcConnectMs, () =>
        session.destroy(new Error(`no answer within ${grpcConnectMs / 1000} seconds`)),
      );
      session.on("error", (error) => {
        last ??= error;
      });
      session.once("remoteSettings", () => {
        cancelTimer();
        session.setLocalWindowSize(windowBytes);
        this.#ready = session;
        this.#failures = 0;
        this.#failed = undefined;
        if (this.#calls === 0) session.unref();
        resolve(session);
      });
      // The server is about to stop: calls that have begun may end, the next one opens another connection.
      session.on("goaway", () => this.#drop(session));
      session.on("close", () => {
        cancelTimer();
        this.#sessions.delete(session);
        const wasReady = this.#ready === session;
        this.#drop(session);
        const error = new GrpcError(grpcCode.unavailable, detailsOf(last), { cause: last });
        if (!wasReady) this.#fail(error);
        reject(error);
      });
    });
  }

  #newSession(): ClientHttp2Session {
    const options = {
      settings: { enablePush: false, initialWindowSize: windowBytes },
      // Node ends a connection whose streams hold more than this, which large answers may.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    };
    const target = this.#target;
    if ("socket" in target)
      return connect("http://localhost", {
        ...options,
        createConnection: () => connectSocket({ path: target.socket }),
      });
    const { host, tls } = target;
    if (tls === undefined) return connect(`http://${this.authority}`, options);
    return connect(`https://${this.authority}`, {
      ...options,
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...(tls.cert !== undefined && { cert: tls.cert }),
      ...(tls.key !== undefined && { key: tls.key }),
      rejectUnauthorized: true,
      // TLS knows no addresses as server names. The certificate is checked against the address all the same.
      servername: isIP(host) === 0 ? host : "",
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    });
  }

  #drop(session: ClientHttp2Session): void {
    if (this.#ready === session) this.#ready = undefined;
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

  #ping(session: ClientHttp2Session): void {
    if (session.destroyed || session.connecting) return;
    const late = new Error(`a ping was not answered within ${grpcPongMs / 1000} seconds`);
    const cancel = this.#clock.after(grpcPongMs, () => session.destroy(late));
    session.once("close", cancel);
    const isSent = session.ping((error) => {
      if (error !== null) return;
      cancel();
      session.off("close", cancel);
    });
    if (!isSent) cancel();
  }
}

/** Of a name with several addresses, Node reports all failures and has no message of its own. */
function detailsOf(error: Error | undefined): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(", ");
  return error?.message || "the connection was closed";
}
