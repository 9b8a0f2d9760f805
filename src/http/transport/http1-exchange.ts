/** One request over HTTP/1.1 as an Exchange. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { PeerCertificate } from "../../authn/contract.ts";
import type { Exchange, ResponseHeaders } from "../contract/exchange.ts";
import { HeaderTable } from "../header-table.ts";
import { untilDrained } from "./drained.ts";
import { lingerAfter } from "./linger.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { readAsStream } from "./read-as-stream.ts";
import { readBody } from "./read-body.ts";
import type { Answer, Stalls } from "./stall.ts";

const drainedBytesMax = 65_536;

/** Less than this fits into the buffers of any connection. */
const buffersBytes = 262_144;

/** What every answer of a listener looks at. */
export interface ListenerState {
  /** Answers from now on ask their clients to connect elsewhere next time. */
  isClosing: boolean;
}

export class Http1Exchange implements Exchange, Answer {
  readonly transport = "http1";
  readonly presetUser = undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #headers: HeaderTable;
  readonly #stalls: Stalls;
  readonly #listener: ListenerState;
  #abort: AbortController | undefined;
  #bodyTaken = false;
  /** Whether the body is read as a stream. */
  isForwarded = false;
  status = 0;
  sentBytes = 0;
  takenCount = 0;

  constructor(request: IncomingMessage, response: ServerResponse, stalls: Stalls, listener: ListenerState) {
    this.#request = request;
    this.#response = response;
    this.#stalls = stalls;
    this.#listener = listener;
    this.#headers = new HeaderTable(request.rawHeaders);
  }

  get method(): string {
    return this.#request.method ?? "";
  }
  get target(): string {
    return this.#request.url ?? "";
  }
  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? "";
  }
  get connection(): object {
    return this.#request.socket;
  }
  get certificate(): PeerCertificate | undefined {
    return peerCertificate(this.#request.socket);
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
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer> {
    this.#bodyTaken = true;
    const read = readBody(this.#request, { bytesMax, declared: this.header("content-length"), onBytes });
    // The rest of the body is not read, so the connection cannot serve another request.
    return read.catch((error) => {
      this.#closeUnread();
      throw error;
    });
  }
  body(): AsyncIterable<Buffer> {
    this.#bodyTaken = true;
    this.isForwarded = true;
    return this.#request;
  }
  /** Whether the client announced a body, which may be empty. */
  get hasBody(): boolean {
    return this.header("content-length") !== undefined || this.header("transfer-encoding") !== undefined;
  }

  get responded(): boolean {
    return this.status !== 0;
  }
  send(status: number, headers: ResponseHeaders, body?: Buffer | string): void {
    if (!this.#begin(status, headers, body)) return;
    if (body === undefined) this.#response.end();
    else this.#response.end(body);
    if (this.#response.socket?.writableNeedDrain) readAsStream(this.#response.socket);
    if (this.#mayLie(body)) this.#stalls.watch(this);
  }
  respond(status: number, headers: ResponseHeaders): void {
    // The connection may break during an answer in pieces; without a listener that error would end the process.
    this.#response.on("error", ignore);
    if (!this.#begin(status, headers, undefined)) return;
    this.#response.flushHeaders();
    this.#stalls.watch(this);
  }
  /** Whether an answer is large, or waits behind others that the client has not read. */
  #mayLie(body: Buffer | string | undefined): boolean {
    if (this.#response.socket === null) return true;
    return (body?.length ?? 0) >= buffersBytes || this.#response.socket.writableLength >= buffersBytes;
  }
  respondEvents(headers: ResponseHeaders): void {
    this.respond(200, headers);
  }
  #begin(status: number, headers: ResponseHeaders, body: Buffer | string | undefined): boolean {
    if (this.status !== 0 || this.#response.destroyed) return false;
    this.status = status;
    if (this.#bodyTaken ? !this.#request.complete : this.#announcesMuch()) this.#closeUnread();
    if (this.#listener.isClosing) this.#response.shouldKeepAlive = false;
    const flat = flatten(headers);
    if (body !== undefined) {
      this.sentBytes = Buffer.byteLength(body);
      flat.push("content-length", String(this.sentBytes));
    }
    this.#response.writeHead(status, flat);
    return true;
  }
  /** Node drains a body that the handler did not read, to keep the connection; for a large body that is not worth it. */
  #announcesMuch(): boolean {
    const length = this.header("content-length");
    if (length !== undefined) return Number(length) > drainedBytesMax;
    return this.header("transfer-encoding") !== undefined && !this.#request.complete;
  }
  #closeUnread(): void {
    this.closeAfter();
    lingerAfter(this.#request);
  }
  write(chunk: Buffer): boolean {
    if (this.#response.destroyed || this.#response.writableEnded) return false;
    this.sentBytes += chunk.length;
    const isTaken = this.#response.write(chunk, this.#onTaken);
    if (!isTaken) readAsStream(this.#response.socket);
    return isTaken;
  }
  readonly #onTaken = () => {
    this.takenCount++;
  };
  drained(): Promise<void> {
    return untilDrained(this.#response);
  }
  end(): void {
    if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.end();
  }
  closeAfter(): void {
    if (!this.#response.headersSent) this.#response.shouldKeepAlive = false;
  }
  destroy(): void {
    this.#request.socket.destroy();
  }
  /** When a connection closes, Node notifies only the answer in progress, not those that wait behind it. */
  get isOrphan(): boolean {
    return this.#request.socket.destroyed && this.#response.socket === null && !this.#response.closed;
  }
  abandon(): void {
    this.#response.destroy();
    this.#response.emit("close");
  }
  get bufferedBytes(): number {
    return this.#response.writableLength;
  }
  onFinish(callback: () => void): void {
    if (this.#response.closed) callback();
    else this.#response.once("close", callback);
  }
}

function ignore(): void {}

/** Node accepts name, value, name, value without further processing. */
function flatten(headers: ResponseHeaders): string[] {
  const flat: string[] = [];
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === "object") for (const one of value) flat.push(name, one);
    else flat.push(name, String(value));
  }
  return flat;
}
