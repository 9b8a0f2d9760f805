/** One request over HTTP/1.1 as an Exchange. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { PeerCertificate } from "../../authn/contract.ts";
import { type AnswerBody, type ResponseHeaders, wholeBody } from "../contract/exchange.ts";
import { flatten } from "./answer-head.ts";
import { HeaderTable } from "./header-table.ts";
import { lingerAfter } from "./linger.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { readBody } from "./read-body.ts";
import { ignoreErrors, SocketExchange } from "./socket-exchange.ts";
import type { Stalls } from "./stall.ts";

const drainedBytesMax = 65_536;

/** Less than this fits into the buffers of any connection. */
const buffersBytes = 262_144;

/** What all answers of a listener share. */
export interface ListenerState {
  /** Answers from now on ask their clients to reconnect. */
  isClosing: boolean;
}

export class Http1Exchange extends SocketExchange<ServerResponse> {
  readonly transport = "http1";
  readonly #request: IncomingMessage;
  readonly #listener: ListenerState;
  #bodyTaken = false;
  /** Whether the body is read as a stream. */
  isForwarded = false;

  constructor(request: IncomingMessage, response: ServerResponse, stalls: Stalls, listener: ListenerState) {
    super(response, new HeaderTable(request.rawHeaders), stalls);
    this.#request = request;
    this.#listener = listener;
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
  get gone(): boolean {
    return this.output.destroyed && !this.output.writableFinished;
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

  send(status: number, headers: ResponseHeaders, content?: AnswerBody): void {
    const body = content === undefined ? undefined : wholeBody(content);
    if (!this.#begin(status, headers, body)) return;
    if (body === undefined) this.output.end();
    else this.output.end(body);
    if (this.output.socket?.writableNeedDrain) readAsStream(this.output.socket);
    if (this.#mayLie(body)) this.stalls.watch(this);
  }
  respond(status: number, headers: ResponseHeaders): void {
    // The connection may break during a chunked answer; without a listener that error would end the process.
    ignoreErrors(this.output);
    if (!this.#begin(status, headers, undefined)) return;
    this.output.flushHeaders();
    this.stalls.watch(this);
  }
  /** Whether an answer is large, or waits behind others that the client has not read. */
  #mayLie(body: Buffer | string | undefined): boolean {
    if (this.output.socket === null) return true;
    return (body?.length ?? 0) >= buffersBytes || this.output.socket.writableLength >= buffersBytes;
  }
  #begin(status: number, headers: ResponseHeaders, body: Buffer | string | undefined): boolean {
    if (this.status !== 0 || this.output.destroyed) return false;
    this.status = status;
    if (this.#bodyTaken ? !this.#request.complete : this.#announcesMuch()) this.#closeUnread();
    if (this.#listener.isClosing) this.output.shouldKeepAlive = false;
    // Node accepts this form without further processing.
    const flat = flatten(headers, this.fixedHeaders);
    if (body !== undefined) {
      this.sentBytes = Buffer.byteLength(body);
      flat.push("content-length", String(this.sentBytes));
    }
    this.output.writeHead(status, flat);
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
  override write(chunk: Buffer, release?: () => void): boolean {
    const isTaken = super.write(chunk, release);
    if (!isTaken && !this.output.writableEnded) readAsStream(this.output.socket);
    return isTaken;
  }
  end(): void {
    if (!this.output.destroyed && !this.output.writableEnded) this.output.end();
  }
  closeAfter(): void {
    if (!this.output.headersSent) this.output.shouldKeepAlive = false;
  }
  destroy(): void {
    this.#request.socket.destroy();
  }
  /** When a connection closes, Node notifies only the answer in progress, not those that wait behind it. */
  get isOrphan(): boolean {
    return this.#request.socket.destroyed && this.output.socket === null && !this.output.closed;
  }
  abandon(): void {
    this.output.destroy();
    this.output.emit("close");
  }
}

/**
 * Node hands the bytes of a connection straight to its parser, past the stream that could hold them back. When a large answer
 * is still on its way out and the next request comes, it pauses both; but what TLS has decrypted already goes on to the parser
 * that is paused, and the connection of an honest client breaks (HPE_PAUSED). A listener for bytes puts the stream in between,
 * from then on. It costs a few microseconds for each request, so it is done when an answer does not go out at once.
 */
function readAsStream(socket: Socket | null): void {
  socket?.on("data", ignore);
  socket?.off("data", ignore);
}

function ignore(): void {}
