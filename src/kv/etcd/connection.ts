/** Calls to an etcd cluster: several endpoints, one after the other when one fails, with deadlines and a login. */

import { createRequire } from "node:module";
import { isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import type { ChannelCredentials, Client, ClientDuplexStream, Metadata, ServiceError } from "@grpc/grpc-js";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { MessageWriter } from "../../base/protobuf-message.ts";
import { KvClosed, KvError } from "../contract.ts";
import { EndpointChoice } from "./endpoint-choice.ts";
import { authenticateRequest, methods, readAuthenticateResponse } from "./messages.ts";
import { RepeatedWarnings } from "./repeated-warnings.ts";

/** The gRPC library's module; it is an optional dependency and loaded only here. */
type Grpc = typeof import("@grpc/grpc-js");

/** The server name sent to an endpoint given by IP address; its certificate is still checked against the address. */
const nameOfAddress = "etcd.invalid";

export interface EtcdTls {
  /** PEM. */
  readonly ca: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface ConnectionOptions {
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  readonly username?: string;
  readonly password?: string;
  readonly allowPlaintext?: boolean;
  readonly dialTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The gRPC status codes that this store distinguishes. */
export const code = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const pauseFirstMs = 20;
const pauseMaxMs = 500;
const windowBytes = 8 * 1024 * 1024;

export function loadGrpc(): Grpc {
  try {
    // An optional package; its types are those of the requested version.
    return createRequire(import.meta.url)("@grpc/grpc-js") as Grpc;
  } catch (error) {
    const advice = "the etcd store needs the package @grpc/grpc-js; run: npm install @grpc/grpc-js";
    throw new KvError("unavailable", advice, { cause: error });
  }
}

export class EtcdConnection {
  readonly #grpc: Grpc;
  readonly #options: ConnectionOptions;
  readonly #clients: readonly Client[];
  readonly warnings: RepeatedWarnings;
  readonly #choice: EndpointChoice;
  #token: Promise<string> | undefined;
  #closed = false;
  readonly #calls = new Set<{ cancel(): void }>();

  constructor(grpc: Grpc, options: ConnectionOptions) {
    this.#grpc = grpc;
    this.#options = options;
    this.warnings = new RepeatedWarnings(options.log, options.clock);
    if (options.endpoints.length === 0) throw new KvError("unavailable", "etcd needs at least one endpoint");
    this.#clients = options.endpoints.map((endpoint) => this.#connect(endpoint));
    this.#choice = new EndpointChoice(this.#clients.length, options.clock);
  }

  /** A call that may be repeated: it is tried on one endpoint after the other until it succeeds or the deadline passes. */
  async repeat(method: string, request: MessageWriter, timeoutMs = this.#options.requestTimeoutMs): Promise<Buffer> {
    const deadline = this.#options.clock.monotonic() + timeoutMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.once(method, request, this.#attemptMs(timeoutMs));
      } catch (error) {
        if (!isInterrupted(error) || this.#options.clock.monotonic() >= deadline) throw error;
      }
      await this.pause(attempt);
    }
  }

  /** A call that is sent once. When it is interrupted, the next call goes to the next endpoint. */
  async once(method: string, request: MessageWriter, timeoutMs = this.#attemptMs()): Promise<Buffer> {
    const body = request.finish();
    for (let relogin = true; ; relogin = false) {
      const index = this.#choice.current;
      try {
        return await this.#call(index, method, body, await this.#metadata(), timeoutMs);
      } catch (error) {
        if (isInterrupted(error)) this.#leave(index, codeOf(error) === code.deadlineExceeded);
        // A refused token: the call did nothing, so it can be sent again with a fresh one.
        if (!relogin || this.#token === undefined || codeOf(error) !== code.unauthenticated) throw error;
        this.#token = undefined;
      }
    }
  }

  /** The answers of all endpoints to one call; those that do not answer are skipped. */
  async each(
    method: string,
    request: MessageWriter,
  ): Promise<readonly { readonly endpoint: string; readonly answer: Buffer }[]> {
    const body = request.finish();
    const { endpoints, requestTimeoutMs } = this.#options;
    const answers = endpoints.map(async (endpoint, index) => {
      try {
        const answer = await this.#call(index, method, body, await this.#metadata(), requestTimeoutMs);
        return [{ endpoint, answer }];
      } catch {
        return [];
      }
    });
    return (await Promise.all(answers)).flat();
  }

  /** A stream in both directions on the current endpoint; the caller listens for "data", "error" and "end". */
  async stream(
    method: string,
  ): Promise<{ stream: ClientDuplexStream<Buffer, Buffer>; leave: (hung: boolean) => void }> {
    this.#assertOpen();
    const index = this.#choice.current;
    const metadata = await this.#metadata();
    // A member without a leader would stay silent forever: let it end the stream, so that we try another member.
    metadata.set("hasleader", "true");
    this.#assertOpen();
    const stream = this.#clients[index]!.makeBidiStreamRequest<Buffer, Buffer>(method, asIs, asIs, metadata);
    this.#calls.add(stream);
    stream.on("close", () => this.#calls.delete(stream));
    return { stream, leave: (hung) => this.#leave(index, hung) };
  }

  /** Waits before the next attempt: longer each time, up to a short maximum. */
  pause(attempt: number): Promise<void> {
    const ms = Math.min(pauseMaxMs, pauseFirstMs * 2 ** Math.min(attempt, 10));
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }

  close(): void {
    this.#closed = true;
    for (const call of this.#calls) call.cancel();
    for (const client of this.#clients) client.close();
  }

  #attemptMs(timeoutMs = this.#options.requestTimeoutMs): number {
    // With several endpoints, one that hangs must leave time to try another.
    return this.#clients.length === 1 ? timeoutMs : Math.max(200, timeoutMs / 3);
  }

  #call(index: number, method: string, body: Buffer, metadata: Metadata, timeoutMs: number): Promise<Buffer> {
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + timeoutMs };
      const call = this.#clients[index]!.makeUnaryRequest<Buffer, Buffer>(
        method,
        asIs,
        asIs,
        body,
        metadata,
        options,
        (error: ServiceError | null, response?: Buffer) => {
          this.#calls.delete(call);
          if (error !== null) reject(this.#closed ? new KvClosed() : error);
          else resolve(response ?? Buffer.alloc(0));
        },
      );
      this.#calls.add(call);
    });
  }

  #leave(index: number, hung: boolean): void {
    if (!this.#choice.leave(index, { hung })) return;
    this.warnings.warn("switching to another etcd endpoint", { from: this.#options.endpoints[index] });
  }

  async #metadata(): Promise<Metadata> {
    const metadata = new this.#grpc.Metadata();
    const { username, password = "" } = this.#options;
    if (username === undefined) return metadata;
    this.#token ??= this.#login(username, password);
    try {
      metadata.set("token", await this.#token);
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
    return metadata;
  }

  async #login(username: string, password: string): Promise<string> {
    const body = authenticateRequest(username, password).finish();
    const metadata = new this.#grpc.Metadata();
    const answer = await this.#call(this.#choice.current, methods.authenticate, body, metadata, this.#attemptMs());
    return readAuthenticateResponse(answer);
  }

  #connect(endpoint: string): Client {
    const { host, address, secure } = parseEndpoint(endpoint);
    if (!secure && this.#options.allowPlaintext !== true) {
      throw new KvError("unavailable", `the etcd endpoint ${endpoint} is not encrypted: use https://`);
    }
    return new this.#grpc.Client(address, secure ? this.#credentials(host) : this.#grpc.credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      // Large lists crawl through the default window of 64 kB.
      "grpc-node.flow_control_window": windowBytes,
      // A connection that has silently died must not hold a watch forever. etcd allows a ping every five seconds.
      "grpc.keepalive_time_ms": 10_000,
      "grpc.keepalive_timeout_ms": 5_000,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 1_000,
      "grpc.enable_retries": 0,
      "grpc.enable_http_proxy": 0,
      "grpc.service_config_disable_resolution": 1,
      // Every store has its own connections, and closing it closes them.
      "grpc.use_local_subchannel_pool": 1,
      // TLS does not allow IP addresses as server names, and newer versions of Node refuse to send one.
      ...(isIP(host) !== 0 && { "grpc.ssl_target_name_override": nameOfAddress }),
    });
  }

  #credentials(host: string): ChannelCredentials {
    const { tls } = this.#options;
    const pem = (content: string | Buffer | undefined): Buffer | null =>
      content === undefined ? null : Buffer.from(content);
    return this.#grpc.credentials.createSsl(pem(tls?.ca), pem(tls?.key), pem(tls?.cert), {
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    });
  }

  #assertOpen(): void {
    if (this.#closed) throw new KvClosed();
  }
}

function asIs(message: Buffer): Buffer {
  return message;
}

/** "https://host:2379", "http://host", "[::1]:2379" with a scheme; the port is 2379 unless given. */
export function parseEndpoint(endpoint: string): { host: string; address: string; secure: boolean } {
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch (error) {
    throw new KvError("unavailable", `the etcd endpoint ${endpoint} is not a URL`, { cause: error });
  }
  const secure = url.protocol === "https:";
  const bare = (url.pathname === "/" || url.pathname === "") && url.search === "" && url.username === "";
  if ((!secure && url.protocol !== "http:") || url.hostname === "" || !bare) {
    throw new KvError("unavailable", `the etcd endpoint ${endpoint} must be https://host:port`);
  }
  // A URL drops the default port of its scheme, but etcd does not use that port as its default.
  const port = /:(\d+)\/?$/.exec(endpoint)?.[1] ?? "2379";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { host, address: `${url.hostname}:${port}`, secure };
}

export function codeOf(error: unknown): number | undefined {
  const found = (error as { code?: unknown } | null)?.code;
  return typeof found === "number" ? found : undefined;
}

/** Whether the call may have happened although no answer arrived, and another endpoint may answer. */
export function isInterrupted(error: unknown): boolean {
  switch (codeOf(error)) {
    case code.cancelled:
    case code.unknown:
    case code.deadlineExceeded:
    case code.internal:
    case code.unavailable:
      return true;
    default:
      return false;
  }
}

/** etcd gives the reason as text only. */
export function detailsOf(error: unknown): string {
  const details = (error as { details?: unknown } | null)?.details;
  return typeof details === "string" ? details : String(error);
}
