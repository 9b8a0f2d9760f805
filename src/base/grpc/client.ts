/**
 * A client of one gRPC server: calls with one answer, and streams in both directions. Messages are bytes;
 * who calls encodes them. Nothing is compressed or repeated, and deadlines, cancelling, keepalive and reconnecting are here.
 */

import { type Clock, sleep } from "../clock.ts";
import { frameOf, MessageReader } from "./frames.ts";
import type { Http2Connection } from "./http2/connection.ts";
import { http2Code } from "./http2/frames.ts";
import { encodeHeaders } from "./http2/headers.ts";
import type { Http2Stream } from "./http2/stream.ts";
import { GrpcSession, type GrpcTarget } from "./session.ts";
import { GrpcError, grpcCode, statusOf, statusOfHttp, statusOfReset } from "./status.ts";

export type GrpcMetadata = Readonly<Record<string, string>>;

interface GrpcOptions {
  readonly target: GrpcTarget;
  readonly clock: Clock;
  /** A longer answer fails with `resourceExhausted`; absent: what HTTP/2 carries. */
  readonly answerBytesMax?: number;
}

interface CallOptions {
  readonly metadata?: GrpcMetadata;
  readonly timeoutMs: number;
  /** Tries to connect until the deadline, for a server that is being restarted. Absent: fails when a connection fails. */
  readonly waitsForServer?: boolean;
}

/** Each is called in this order: `message` any number of times, then `end` once; not after `cancel`. */
export interface StreamListener {
  message(message: Buffer): void;
  /** Absent: the server ended the stream in good order. */
  end(error: GrpcError | undefined): void;
}

export interface GrpcStream {
  write(message: Uint8Array): void;
  /** Ends it in both directions. */
  cancel(): void;
}

interface GrpcCall {
  readonly answer: Promise<Buffer>;
  /** Fails the call with `cancelled`, if it has not ended. */
  cancel(): void;
}

/** How many different headers are kept as bytes: methods times deadlines, and the token of the day. */
const keptHeadersMax = 32;

export class GrpcClient {
  readonly #session: GrpcSession;
  readonly #clock: Clock;
  readonly #answerBytesMax: number;
  readonly #open = new Set<Exchange>();
  readonly #headers = new Map<string, Buffer>();
  #closed = false;

  constructor({ target, clock, answerBytesMax = 0xffff_ffff }: GrpcOptions) {
    this.#session = new GrpcSession(target, clock);
    this.#clock = clock;
    this.#answerBytesMax = answerBytesMax;
  }

  /** A call with one request and one answer. */
  call(
    method: string,
    request: Uint8Array,
    { metadata = {}, timeoutMs, waitsForServer = false }: CallOptions,
  ): GrpcCall {
    let exchange: Exchange | undefined;
    const answer = new Promise<Buffer>((resolve, reject) => {
      let message: Buffer | undefined;
      const late = this.#clock.after(timeoutMs, () =>
        exchange?.fail(new GrpcError(grpcCode.deadlineExceeded, `no answer within ${timeoutMs} ms`)),
      );
      exchange = this.#begin(method, { ...metadata, "grpc-timeout": timeoutOf(timeoutMs) }, waitsForServer, {
        message(bytes) {
          if (message === undefined) message = bytes;
          else exchange?.fail(new GrpcError(grpcCode.internal, "two answers to one request"));
        },
        end(error) {
          late();
          if (error !== undefined) reject(error);
          else if (message === undefined) reject(new GrpcError(grpcCode.internal, "no answer, and no error"));
          else resolve(message);
        },
      });
      exchange.send(request, true);
    });
    return { answer, cancel: () => exchange?.fail(new GrpcError(grpcCode.cancelled, "cancelled")) };
  }

  /** What is written before the connection is open is sent when it is. */
  stream(method: string, metadata: GrpcMetadata, listener: StreamListener): GrpcStream {
    const exchange = this.#begin(method, metadata, false, listener);
    return { write: (message) => exchange.send(message, false), cancel: () => exchange.cancel() };
  }

  /** Calls that have not ended fail with `cancelled`. */
  close(): void {
    this.#closed = true;
    for (const exchange of this.#open) exchange.fail(new GrpcError(grpcCode.cancelled, "the client was closed"));
    this.#session.close();
  }

  #begin(method: string, metadata: GrpcMetadata, waits: boolean, listener: StreamListener): Exchange {
    this.#session.hold();
    const exchange = new Exchange(listener, this.#answerBytesMax, () => {
      this.#open.delete(exchange);
      this.#session.release();
    });
    this.#open.add(exchange);
    void this.#start(exchange, this.#headersOf(method, metadata), waits);
    return exchange;
  }

  /** Most calls have the headers of an earlier one. */
  #headersOf(method: string, metadata: GrpcMetadata): Buffer {
    let key = method;
    for (const name in metadata) key += `\n${name}\n${metadata[name]}`;
    let headers = this.#headers.get(key);
    if (headers !== undefined) return headers;
    headers = encodeHeaders({
      ":method": "POST",
      ":scheme": this.#session.scheme,
      ":path": method,
      ":authority": this.#session.authority,
      te: "trailers",
      "content-type": "application/grpc",
      ...metadata,
    });
    if (this.#headers.size >= keptHeadersMax) this.#headers.clear();
    this.#headers.set(key, headers);
    return headers;
  }

  /** Synchronous while the connection is open, so that a call costs no turn. */
  #start(exchange: Exchange, headers: Buffer, waits: boolean): Promise<void> | undefined {
    const opened = this.#session.open();
    if (!(opened instanceof Promise)) return void exchange.start(opened, headers);
    return opened.then(
      (session) => exchange.start(session, headers),
      async (error: GrpcError) => {
        if (!waits || this.#closed) return exchange.fail(error);
        await sleep(this.#clock, Math.max(1, this.#session.pauseMs));
        if (!exchange.isOver) await this.#start(exchange, headers, waits);
      },
    );
  }
}

/** One HTTP/2 stream, which may not have begun. */
class Exchange {
  readonly #listener: StreamListener;
  readonly #frames: MessageReader;
  readonly #onOver: () => void;
  #stream: Http2Stream | undefined;
  #waiting: { readonly frame: Buffer; readonly isLast: boolean }[] = [];
  isOver = false;

  constructor(listener: StreamListener, answerBytesMax: number, onOver: () => void) {
    this.#listener = listener;
    this.#frames = new MessageReader(answerBytesMax);
    this.#onOver = onOver;
  }

  send(message: Uint8Array, isLast: boolean): void {
    if (this.isOver) return;
    const frame = frameOf(message);
    if (this.#stream === undefined) this.#waiting.push({ frame, isLast });
    else this.#stream.write(frame, isLast);
  }

  start(connection: Http2Connection, headers: Buffer): void {
    if (this.isOver) return;
    let status: ReturnType<typeof statusOf>;
    const handler = {
      headers: (answer: ReadonlyMap<string, string>) => {
        status = statusOf(answer);
        if (status === undefined && !answer.get("content-type")?.startsWith("application/grpc"))
          this.fail(statusOfHttp(answer.get(":status")));
      },
      data: (chunk: Buffer) => this.#read(chunk),
      closed: ({ code, error }: { readonly code?: number; readonly error?: Error }) => {
        if (status !== undefined && (status.error !== undefined || !this.#frames.isAmidst)) this.#end(status.error);
        else if (error !== undefined)
          this.#end(new GrpcError(grpcCode.unavailable, "the connection broke", { cause: error }));
        else this.#end(statusOfReset(code ?? http2Code.none));
      },
    };
    try {
      this.#stream = connection.open(headers, handler);
    } catch (error) {
      // It closed between two turns.
      const details = error instanceof Error ? error.message : String(error);
      this.fail(new GrpcError(grpcCode.unavailable, details, { cause: error }));
      return;
    }
    for (const { frame, isLast } of this.#waiting.splice(0)) this.#stream.write(frame, isLast);
  }

  fail(error: GrpcError): void {
    if (this.isOver) return;
    this.#end(error);
    this.#stream?.close(http2Code.cancel);
  }

  /** As `fail`, but the error is not passed on. */
  cancel(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#onOver();
    this.#stream?.close(http2Code.cancel);
  }

  #read(chunk: Buffer): void {
    if (this.isOver) return; // it was received before the end
    try {
      this.#frames.push(chunk, (message) => {
        if (!this.isOver) this.#listener.message(message);
      });
    } catch (error) {
      this.fail(error instanceof GrpcError ? error : new GrpcError(grpcCode.internal, String(error), { cause: error }));
    }
  }

  #end(error: GrpcError | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#onOver();
    this.#listener.end(error);
  }
}

/** Eight digits at most, so long ones are in seconds. */
function timeoutOf(ms: number): string {
  const whole = Math.max(1, Math.ceil(ms));
  return whole < 100_000_000 ? `${whole}m` : `${Math.ceil(whole / 1000)}S`;
}
