/** One ordinary request over HTTP/1.1 as an Exchange, read from its connection and answered on it without node:http. */

import { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { PeerCertificate } from "../../authn/contract.ts";
import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { type AnswerBody, type ResponseHeaders, wholeBody } from "../contract/exchange.ts";
import { ReusedBuffers } from "../contract/reused-buffers.ts";
import { type AnswerFraming, answerHead, closing, flatten } from "./answer-head.ts";
import type { ListenerState } from "./http1-exchange.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { readBody, takeBody } from "./read-body.ts";
import type { Head } from "./read-head.ts";
import { SocketExchange } from "./socket-exchange.ts";
import type { Stalls } from "./stall.ts";

/** What a request needs of its connection. */
export interface DirectLine {
  readonly socket: TLSSocket;
  readonly stalls: Stalls;
  readonly listener: ListenerState;
  /** The headers of an answer after which the connection stays open. */
  readonly keeping: string;
  /** How many bytes of the request's body are still to come. */
  readonly bodyLeft: number;
  /** The whole answer has been written, though perhaps not sent. `closes`: no further request is answered on this connection. */
  answered(closes: boolean): void;
  /** The answer has been sent, and the connection closes. */
  hangUp(): void;
}

const empty = Buffer.alloc(0);
const lastChunk = Buffer.from("0\r\n\r\n");
/** A larger answer is not copied behind its headers. */
const joinedBytesMax = 65_536;
/** Node puts smaller buffers into a pool of its own. */
const pooledBytes = Buffer.poolSize >>> 1;
/** For whole answers that are larger, but not much: a client that does not read has one of them. */
const buffers = new ReusedBuffers(16_384, 32);

export class DirectExchange extends SocketExchange<TLSSocket> {
  readonly transport = "http1";
  readonly method: string;
  readonly target: string;
  readonly isOrphan = false;
  readonly #line: DirectLine;
  /** What has arrived of the body before it is read. */
  #arrived: Buffer[] | undefined;
  #stream: Readable | undefined;
  #isTaken = false;
  /** Whether the body is read as a stream. */
  isForwarded = false;
  #closes = false;
  #body: AnswerFraming["body"];
  #isEnded = false;
  #isSent = false;
  #isFinished = false;
  #onFinish: (() => void)[] | undefined;

  /** `arrived`: the beginning of the body. */
  constructor(line: DirectLine, head: Head, arrived: Buffer) {
    super(line.socket, head.headers, line.stalls);
    this.#line = line;
    this.method = head.method;
    this.target = head.target;
    if (arrived.length > 0) this.#arrived = [arrived];
  }

  get remoteAddress(): string {
    return this.output.remoteAddress ?? "";
  }
  get connection(): object {
    return this.output;
  }
  get certificate(): PeerCertificate | undefined {
    return peerCertificate(this.output);
  }
  get gone(): boolean {
    return this.output.destroyed && !this.#isSent;
  }

  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer> {
    this.#isTaken = true;
    const limit = { bytesMax, declared: this.header("content-length"), onBytes };
    if (this.#line.bodyLeft === 0) return takeBody(this.#takeArrived(), limit);
    return readBody(this.#bodyStream(), limit);
  }
  body(): AsyncIterable<Buffer> {
    this.#isTaken = true;
    this.isForwarded = true;
    return this.#bodyStream();
  }
  #takeArrived(): Buffer {
    const [first = empty, ...more] = this.#arrived ?? [];
    this.#arrived = undefined;
    return more.length === 0 ? first : Buffer.concat([first, ...more]);
  }
  #bodyStream(): Readable {
    // The body is small, and need not wait for its reader.
    const stream = new Readable({ read() {} });
    const arrived = this.#takeArrived();
    if (arrived.length > 0) stream.push(arrived);
    if (this.#line.bodyLeft === 0) stream.push(null);
    this.#stream = stream;
    return stream;
  }
  /** The connection calls this for each further part of the body. */
  receive(part: Buffer): void {
    if (this.#stream !== undefined) {
      this.#stream.push(part);
      if (this.#line.bodyLeft === 0) this.#stream.push(null);
    } else if (!this.responded) {
      this.#arrived ??= [];
      this.#arrived.push(part);
    }
  }
  /** The connection has closed. */
  disconnected(): void {
    this.#stream?.destroy();
    this.#finish();
  }

  send(status: number, headers: ResponseHeaders, body?: AnswerBody): void {
    if (this.responded || this.output.destroyed) return;
    const bytes = typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0);
    const isBare = this.#isBare(status);
    const head = this.#begin(status, headers, body === undefined && isBare ? undefined : bytes);
    this.sentBytes = bytes;
    if (body === undefined || bytes === 0 || isBare) this.#write(Buffer.from(head, "latin1"));
    else if (head.length + bytes <= joinedBytesMax) this.#writeJoined(head, body, bytes);
    else {
      this.output.cork();
      this.output.write(head, "latin1");
      this.#write(wholeBody(body));
      this.output.uncork();
    }
    if (this.output.writableNeedDrain) this.stalls.watch(this);
    this.#line.answered(this.#closes);
  }
  respond(status: number, headers: ResponseHeaders): void {
    if (this.responded || this.output.destroyed) return;
    const isFramed = this.#isBare(status) || headers["content-length"] !== undefined;
    this.output.write(this.#begin(status, headers, isFramed ? undefined : "chunked"), "latin1");
    this.stalls.watch(this);
  }
  /** The head of the answer. Nothing has changed if it throws. */
  #begin(status: number, headers: ResponseHeaders, body: AnswerFraming["body"]): string {
    const { listener, keeping, bodyLeft } = this.#line;
    // If the rest of a body is not read, the connection cannot serve another request.
    const closes = this.#closes || listener.isClosing || (this.#isTaken && bodyLeft > 0);
    const flat = flatten(headers, this.fixedHeaders);
    const head = answerHead(status, flat, { connection: closes ? closing : keeping, body });
    this.status = status;
    this.#closes = closes;
    this.#body = body;
    return head;
  }
  /** Whether the answer has no body, whatever its headers say. */
  #isBare(status: number): boolean {
    return this.method === "HEAD" || status === 204 || status === 304;
  }
  override write(chunk: Buffer, release?: () => void): boolean {
    if (this.output.destroyed || this.#isEnded) return false;
    const isDropped = chunk.length === 0 || this.#isBare(this.status);
    if (!isDropped && this.#body !== "chunked") return super.write(chunk, release);
    this.sentBytes += chunk.length;
    return isDropped || this.output.write(framed(chunk), this.onTaken);
  }
  end(): void {
    if (this.output.destroyed || this.#isEnded) return;
    this.#write(this.#body === "chunked" ? lastChunk : empty);
    this.#line.answered(this.#closes);
  }
  #writeJoined(head: string, body: AnswerBody, bytes: number): void {
    const length = head.length + bytes;
    const isReused = length > pooledBytes && length <= buffers.bytes;
    const whole = isReused ? buffers.take() : Buffer.allocUnsafe(length);
    whole.write(head, 0, "latin1");
    if (typeof body === "string") whole.write(body, head.length);
    else if (body instanceof Uint8Array) body.copy(whole, head.length);
    else body.copyTo(whole, head.length, 0);
    this.#write(whole.subarray(0, length));
  }
  /** The last write of the answer. */
  #write(bytes: Buffer | string): void {
    this.#isEnded = true;
    this.output.write(bytes, (error) => {
      this.#isSent = !error;
      if (!error && typeof bytes !== "string") buffers.giveBack(bytes);
      this.#finish();
      if (this.#isSent && this.#closes) this.#line.hangUp();
    });
  }
  closeAfter(): void {
    if (!this.responded) this.#closes = true;
  }
  destroy(): void {
    this.output.destroy();
  }
  abandon(): void {
    this.output.destroy();
  }
  override onFinish(callback: () => void): void {
    if (this.#isFinished) callback();
    else {
      this.#onFinish ??= [];
      this.#onFinish.push(callback);
    }
  }
  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const callbacks = this.#onFinish;
    // The connection keeps its newest request, which must not keep more than itself.
    this.#onFinish = undefined;
    this.#arrived = undefined;
    if (callbacks !== undefined) for (const callback of callbacks) callback();
  }
}

/** The chunk that was written last, with its length around it: watchers at the same position are written to one after another. */
const latest: { chunk: Buffer; framed: Buffer } = { chunk: empty, framed: empty };

function framed(chunk: Buffer): Buffer {
  if (chunk === latest.chunk) {
    if (checksCaches) checkAnswer("the latest chunk", latest.framed.subarray(-2 - chunk.length, -2), chunk);
    return latest.framed;
  }
  const length = `${chunk.length.toString(16)}\r\n`;
  const bytes = Buffer.allocUnsafe(length.length + chunk.length + 2);
  bytes.write(length, 0, "latin1");
  chunk.copy(bytes, length.length);
  bytes.write("\r\n", bytes.length - 2);
  latest.chunk = chunk;
  latest.framed = bytes;
  return bytes;
}
