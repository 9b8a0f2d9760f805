/** Calls to an etcd cluster: several endpoints, one after the other when one fails, with deadlines and a login. */

import type { Clock } from "../../base/clock.ts";
import { GrpcClient, type GrpcMetadata, type GrpcStream, type StreamListener } from "../../base/grpc/client.ts";
import { GrpcError, grpcCode } from "../../base/grpc/status.ts";
import type { Log } from "../../base/log.ts";
import type { MessageWriter } from "../../base/protobuf-message.ts";
import { KvClosed, KvError } from "../contract.ts";
import { EndpointChoice } from "./endpoint-choice.ts";
import { authenticateRequest, methods, readAuthenticateResponse } from "./messages.ts";
import { RepeatedWarnings } from "./repeated-warnings.ts";

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

const pauseFirstMs = 20;
const pauseMaxMs = 500;
export class EtcdConnection {
  readonly #options: ConnectionOptions;
  readonly #clients: readonly GrpcClient[];
  readonly warnings: RepeatedWarnings;
  readonly #choice: EndpointChoice;
  #token: Promise<string> | undefined;
  #closed = false;

  constructor(options: ConnectionOptions) {
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
        const metadata = this.#metadata();
        const known = metadata instanceof Promise ? await metadata : metadata;
        return await this.#call(index, method, body, known, timeoutMs);
      } catch (error) {
        if (isInterrupted(error)) this.#leave(index, codeOf(error) === grpcCode.deadlineExceeded);
        // A refused token: the call did nothing, so it can be sent again with a fresh one.
        if (!relogin || this.#token === undefined || codeOf(error) !== grpcCode.unauthenticated) throw error;
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

  /** A stream in both directions on the current endpoint. */
  async stream(
    method: string,
    listener: StreamListener,
  ): Promise<{ stream: GrpcStream; leave: (hung: boolean) => void }> {
    this.#assertOpen();
    const index = this.#choice.current;
    // A member without a leader would stay silent forever: let it end the stream, so that we try another member.
    const metadata = { ...(await this.#metadata()), hasleader: "true" };
    this.#assertOpen();
    const stream = this.#clients[index]!.stream(method, metadata, listener);
    return { stream, leave: (hung) => this.#leave(index, hung) };
  }

  /** Waits before the next attempt: longer each time, up to a short maximum. */
  pause(attempt: number): Promise<void> {
    const ms = Math.min(pauseMaxMs, pauseFirstMs * 2 ** Math.min(attempt, 10));
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }

  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.close();
  }

  #attemptMs(timeoutMs = this.#options.requestTimeoutMs): number {
    // With several endpoints, one that hangs must leave time to try another.
    return this.#clients.length === 1 ? timeoutMs : Math.max(200, timeoutMs / 3);
  }

  async #call(index: number, method: string, body: Buffer, metadata: GrpcMetadata, timeoutMs: number): Promise<Buffer> {
    this.#assertOpen();
    try {
      return await this.#clients[index]!.call(method, body, { metadata, timeoutMs }).answer;
    } catch (error) {
      throw this.#closed ? new KvClosed() : error;
    }
  }

  #leave(index: number, hung: boolean): void {
    if (!this.#choice.leave(index, { hung })) return;
    this.warnings.warn("switching to another etcd endpoint", { from: this.#options.endpoints[index] });
  }

  /** At once where there is no login. */
  #metadata(): GrpcMetadata | Promise<GrpcMetadata> {
    const { username, password = "" } = this.#options;
    return username === undefined ? {} : this.#tokenOf(username, password);
  }

  async #tokenOf(username: string, password: string): Promise<GrpcMetadata> {
    this.#token ??= this.#login(username, password);
    try {
      return { token: await this.#token };
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }

  async #login(username: string, password: string): Promise<string> {
    const body = authenticateRequest(username, password).finish();
    const answer = await this.#call(this.#choice.current, methods.authenticate, body, {}, this.#attemptMs());
    return readAuthenticateResponse(answer);
  }

  #connect(endpoint: string): GrpcClient {
    const { host, port, secure } = parseEndpoint(endpoint);
    const { allowPlaintext, tls = {}, clock } = this.#options;
    if (!secure && allowPlaintext !== true) {
      throw new KvError("unavailable", `the etcd endpoint ${endpoint} is not encrypted: use https://`);
    }
    return new GrpcClient({ target: { host, port, ...(secure && { tls }) }, clock });
  }

  #assertOpen(): void {
    if (this.#closed) throw new KvClosed();
  }
}

/** "https://host:2379", "http://host", "[::1]:2379" with a scheme; the port is 2379 unless given. */
export function parseEndpoint(endpoint: string): { host: string; port: number; secure: boolean } {
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
  return { host, port: Number(port), secure };
}

export function codeOf(error: unknown): number | undefined {
  return error instanceof GrpcError ? error.code : undefined;
}

/** Whether the call may have happened although no answer arrived, and another endpoint may answer. */
export function isInterrupted(error: unknown): boolean {
  switch (codeOf(error)) {
    case grpcCode.cancelled:
    case grpcCode.unknown:
    case grpcCode.deadlineExceeded:
    case grpcCode.internal:
    case grpcCode.unavailable:
      return true;
    default:
      return false;
  }
}

/** etcd gives the reason as text only. */
export function detailsOf(error: unknown): string {
  return error instanceof GrpcError ? error.details : String(error);
}
