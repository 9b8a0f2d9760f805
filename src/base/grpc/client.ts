/**
 * A client of one gRPC server over node:http2: calls with one answer, and streams in both directions. Messages are bytes;
 * who calls encodes them. Nothing is compressed or repeated, and deadlines, cancelling, keepalive and reconnecting are here.
 */

import { type ClientHttp2Session, type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from "node:http2";
import { type Clock, sleep } from "../clock.ts";
import { frameOf, MessageReader } from "./frames.ts";
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

export class GrpcClient {
  readonly #session: GrpcSession;
  readonly #clock: Clock;
  readonly #answerBytesMax: number;
  readonly #open = new Set<Exchange>();
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
    const headers: OutgoingHttpHeaders = {
      ":method": "POST",
      ":path": method,
      ":authority": this.#session.authority,
      te: "trailers",
      "content-type": "application/grpc",
      ...metadata,
    };
    void this.#start(exchange, headers, waits);
    return exchange;
  }

  /** Synchronous while the connection is open, so that a call costs no turn. */
  #start(exchange: Exchange, headers: OutgoingHttpHeaders, waits: boolean): Promise<void> | undefined {
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
  #stream: ClientHttp2Stream | undefined;
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
    else write(this.#stream, frame, isLast);
  }

  start(session: ClientHttp2Session, headers: OutgoingHttpHeaders): void {
    if (this.isOver) return;
    try {
      this.#stream = session.request(headers);
    } catch (error) {
      // It closed between two turns.
      const details = error instanceof Error ? error.message : String(error);
      this.fail(new GrpcError(grpcCode.unavailable, details, { cause: error }));
      return;
    }
    const stream = this.#stream;
    let status: ReturnType<typeof statusOf>;
    let broken: Error | undefined;
    stream.on("response", (answer) => {
      status = statusOf(answer);
      if (status === undefined && !String(answer["content-type"]).startsWith("application/grpc"))
        this.fail(statusOfHttp(answer[":status"]));
    });
    stream.on("trailers", (trailers) => {
      status = statusOf(trailers);
    });
    stream.on("data", (chunk: Buffer) => this.#read(chunk));
    stream.on("error", (error) => {
      broken = error;
    });
    const settle = () => {
      if (status !== undefined && (status.error !== undefined || !this.#frames.isAmidst)) this.#end(status.error);
      else if (session.destroyed)
        this.#end(new GrpcError(grpcCode.unavailable, "the connection broke", { cause: broken }));
      else this.#end(statusOfReset(stream.rstCode ?? 0));
    };
    stream.on("close", settle);
    stream.on("end", () => {
      if (status === undefined) return;
      settle();
      // Of a stream in both directions ours is still open.
      stream.close();
    });
    for (const { frame, isLast } of this.#waiting.splice(0)) write(stream, frame, isLast);
  }

  fail(error: GrpcError): void {
    if (this.isOver) return;
    this.#end(error);
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  /** As `fail`, but the error is not passed on. */
  cancel(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#onOver();
    this.#stream?.close(constants.NGHTTP2_CANCEL);
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

function write(stream: ClientHttp2Stream, frame: Buffer, isLast: boolean): void {
  if (isLast) stream.end(frame);
  else stream.write(frame);
}

/** Eight digits at most, so long ones are in seconds. */
function timeoutOf(ms: number): string {
  const whole = Math.max(1, Math.ceil(ms));
  return whole < 100_000_000 ? `${whole}m` : `${Math.ceil(whole / 1000)}S`;
}
