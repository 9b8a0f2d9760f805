/** One HTTP/2 stream as an Exchange. */

import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { PeerCertificate } from "../../authn/contract.ts";
import { type AnswerBody, type ResponseHeaders, wholeBody } from "../contract/exchange.ts";
import { HeaderTable } from "./header-table.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { readBody } from "./read-body.ts";
import { sendableStatus } from "./sendable-status.ts";
import { ignoreErrors, SocketExchange } from "./socket-exchange.ts";
import type { Stalls } from "./stall.ts";

export class Http2Exchange extends SocketExchange<ServerHttp2Stream> {
  readonly transport = "http2";
  readonly method: string;
  readonly target: string;
  #closeAfter = false;
  #isGathering = false;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[], stalls: Stalls) {
    super(stream, new HeaderTable(rawHeaders), stalls);
    this.method = String(headers[":method"] ?? "");
    this.target = String(headers[":path"] ?? "");
    // The client may reset the stream at any time.
    ignoreErrors(stream);
  }

  get remoteAddress(): string {
    return this.output.session?.socket.remoteAddress ?? "";
  }
  get connection(): object | undefined {
    return this.output.session;
  }
  get certificate(): PeerCertificate | undefined {
    const session = this.output.session;
    return session === undefined || session.destroyed ? undefined : peerCertificate(session.socket);
  }
  get gone(): boolean {
    // When a connection breaks, Node ends its streams as if they had been answered.
    return this.output.destroyed && (this.status === 0 || this.output.aborted || !this.output.writableFinished);
  }

  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer> {
    return readBody(this.output, { bytesMax, declared: this.header("content-length"), onBytes });
  }
  body(): AsyncIterable<Buffer> {
    return this.output;
  }

  /**
   * A stream has one write under way at a time, until it has left the process, while answers on other streams leave at once. So events that
   * come together are written together, or all but the first would reach a client after the answers to the writes that caused them.
   */
  override write(chunk: Buffer, release?: () => void): boolean {
    if (!this.#isGathering) {
      this.#isGathering = true;
      this.output.cork();
      process.nextTick(this.#letGo);
    }
    return super.write(chunk, release);
  }
  readonly #letGo = (): void => {
    this.#isGathering = false;
    this.output.uncork();
  };

  send(status: number, headers: ResponseHeaders, content?: AnswerBody): void {
    const body = content === undefined ? undefined : wholeBody(content);
    const bytes = body === undefined ? 0 : Buffer.byteLength(body);
    const bare = bytes === 0 || this.method === "HEAD";
    if (!this.#begin(status, headers, body === undefined ? undefined : bytes, bare)) return;
    if (!bare) {
      this.output.end(body);
    }
    this.#afterEnd();
  }
  respond(status: number, headers: ResponseHeaders): void {
    this.#begin(status, headers, undefined, this.method === "HEAD");
  }
  #begin(status: number, headers: ResponseHeaders, bytes: number | undefined, endStream: boolean): boolean {
    const stream = this.output;
    if (this.status !== 0 || stream.destroyed || stream.closed) return false;
    this.status = status;
    const all: OutgoingHttpHeaders = { ":status": sendableStatus(status) };
    const { fixedHeaders: fixed } = this;
    for (let at = 0; at < fixed.length; at += 2) all[fixed[at]!] = fixed[at + 1];
    for (const name in headers) {
      const value = headers[name]!;
      if (fixed.includes(name)) continue;
      all[name] = typeof value === "object" ? [...value] : value;
    }
    if (bytes !== undefined) {
      this.sentBytes = bytes;
      all["content-length"] = bytes;
    }
    stream.respond(all, { endStream });
    // The client controls how much of an answer it reads, down to nothing, so even the smallest answer may stall.
    if (!endStream) this.stalls.watch(this);
    return true;
  }
  /** Tells a client to stop sending a body that the handler no longer reads. */
  #afterEnd(): void {
    const stream = this.output;
    if (!stream.endAfterHeaders && !stream.readableEnded) {
      const stop = () => stream.close(constants.NGHTTP2_NO_ERROR);
      if (stream.writableFinished) stop();
      else stream.once("finish", stop);
    }
    if (this.#closeAfter) stream.session?.close();
  }
  end(): void {
    if (this.output.destroyed || this.output.writableEnded) return;
    this.output.end();
    this.#afterEnd();
  }
  closeAfter(): void {
    this.#closeAfter = true;
  }
  destroy(): void {
    if (!this.output.destroyed) this.output.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
  /** HTTP/2 notifies every stream when its connection closes. */
  get isOrphan(): boolean {
    return false;
  }
  abandon(): void {}
  /** A stream that is destroyed closes later, or never if its connection broke. */
  override onFinish(callback: () => void): void {
    if (this.output.destroyed) callback();
    else this.output.once("close", callback);
  }
}
