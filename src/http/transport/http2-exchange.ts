/** One HTTP/2 stream as an Exchange. */

import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { PeerCertificate } from "../../authn/contract.ts";
import type { Exchange, ResponseHeaders } from "../contract/exchange.ts";
import { HeaderTable } from "../header-table.ts";
import { untilDrained } from "./drained.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { readBody } from "./read-body.ts";
import type { Answer, Stalls } from "./stall.ts";

export class Http2Exchange implements Exchange, Answer {
  readonly transport = "http2";
  readonly presetUser = undefined;
  readonly method: string;
  readonly target: string;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: HeaderTable;
  readonly #stalls: Stalls;
  #abort: AbortController | undefined;
  #closeAfter = false;
  status = 0;
  sentBytes = 0;
  takenCount = 0;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[], stalls: Stalls) {
    this.#stream = stream;
    this.#stalls = stalls;
    this.method = String(headers[":method"] ?? "");
    this.target = String(headers[":path"] ?? "");
    this.#headers = new HeaderTable(rawHeaders);
    // Without a listener a reset by the client would end the process.
    stream.on("error", ignore);
  }

  get remoteAddress(): string {
    return this.#stream.session?.socket.remoteAddress ?? "";
  }
  get connection(): object | undefined {
    return this.#stream.session;
  }
  get certificate(): PeerCertificate | undefined {
    const session = this.#stream.session;
    return session === undefined || session.destroyed ? undefined : peerCertificate(session.socket);
  }
  header(name: string): string | undefined {
    return this.#headers.get(name);
  }
  headerValues(name: string): readonly string[] {
    return this.#headers.getAll(name);
  }
  headerNames(): readonly string[] {
    return this.#headers.names();
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      if (this.gone) abort.abort();
      else this.onFinish(() => this.gone && abort.abort());
    }
    return this.#abort.signal;
  }
  get gone(): boolean {
    // When a connection breaks, Node ends its streams as if they had been answered.
    return this.#stream.destroyed && (this.status === 0 || this.#stream.aborted || !this.#stream.writableFinished);
  }

  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer> {
    return readBody(this.#stream, { bytesMax, declared: this.header("content-length"), onBytes });
  }
  body(): AsyncIterable<Buffer> {
    return this.#stream;
  }

  get responded(): boolean {
    return this.status !== 0;
  }
  send(status: number, headers: ResponseHeaders, body?: Buffer | string): void {
    const bytes = body === undefined ? 0 : Buffer.byteLength(body);
    const bare = bytes === 0 || this.method === "HEAD";
    if (!this.#begin(status, headers, body === undefined ? undefined : bytes, bare)) return;
    if (!bare) {
      this.#stream.end(body);
    }
    this.#afterEnd();
  }
  respond(status: number, headers: ResponseHeaders): void {
    this.#begin(status, headers, undefined, this.method === "HEAD");
  }
  respondEvents(headers: ResponseHeaders): void {
    this.respond(200, headers);
  }
  #begin(status: number, headers: ResponseHeaders, bytes: number | undefined, endStream: boolean): boolean {
    const stream = this.#stream;
    if (this.status !== 0 || stream.destroyed || stream.closed) return false;
    this.status = status;
    const all: OutgoingHttpHeaders = { ":status": status };
    for (const name in headers) {
      const value = headers[name]!;
      all[name] = typeof value === "object" ? [...value] : value;
    }
    if (bytes !== undefined) {
      this.sentBytes = bytes;
      all["content-length"] = bytes;
    }
    stream.respond(all, { endStream });
    // The client controls how much of an answer it reads, down to nothing, so even the smallest answer may stall.
    if (!endStream) this.#stalls.watch(this);
    return true;
  }
  /** Tells a client to stop sending a body that the handler no longer reads. */
  #afterEnd(): void {
    const stream = this.#stream;
    if (!stream.endAfterHeaders && !stream.readableEnded) {
      const stop = () => stream.close(constants.NGHTTP2_NO_ERROR);
      if (stream.writableFinished) stop();
      else stream.once("finish", stop);
    }
    if (this.#closeAfter) stream.session?.close();
  }
  write(chunk: Buffer): boolean {
    if (this.#stream.destroyed || this.#stream.writableEnded) return false;
    this.sentBytes += chunk.length;
    return this.#stream.write(chunk, this.#onTaken);
  }
  readonly #onTaken = () => {
    this.takenCount++;
  };
  drained(): Promise<void> {
    return untilDrained(this.#stream);
  }
  end(): void {
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    this.#stream.end();
    this.#afterEnd();
  }
  closeAfter(): void {
    this.#closeAfter = true;
  }
  destroy(): void {
    if (!this.#stream.destroyed) this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
  /** HTTP/2 notifies every stream when its connection closes. */
  get isOrphan(): boolean {
    return false;
  }
  abandon(): void {}
  get bufferedBytes(): number {
    return this.#stream.writableLength;
  }
  onFinish(callback: () => void): void {
    if (this.#stream.destroyed) callback();
    else this.#stream.once("close", callback);
  }
}

function ignore(): void {}
