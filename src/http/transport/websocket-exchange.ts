/** A request over HTTP/1.1 that may go on as a WebSocket: if its answer is one of events, each becomes a message. */

import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ResponseHeaders } from "../contract/exchange.ts";
import { untilDrained } from "./drained.ts";
import { Http1Exchange } from "./http1-exchange.ts";
import type { Stalls } from "./stall.ts";
import { asksForWebSocket, closeFrame, encodeFrame, FrameReader, handshake, opcodes } from "./websocket.ts";

/** How long a client has to close its side. */
const closingMs = 2_000;
/** A client that does not read its pongs must not have us keep them. */
const pongsBufferedBytesMax = 65_536;

/**
 * For the option of node:http that makes requests: whether one is an upgrade is our decision. Node sets `upgrade` when a
 * request has that header, and asks for it once all headers are there; all others take the usual way with their bodies.
 */
export class UpgradableRequest extends IncomingMessage {
  set upgrade(isUpgrade: boolean | null) {
    if (isUpgrade === true) upgrades.add(this);
  }
  get upgrade(): boolean {
    // A tunnel is an upgrade too, and Node breaks it off where nobody digs any.
    return upgrades.has(this) && (this.method === "CONNECT" || asksForWebSocket(this));
  }
}
/** Outside of the request, since Node's constructor sets `upgrade` before there are fields of ours. */
const upgrades = new WeakSet<IncomingMessage>();

export class WebSocketExchange extends Http1Exchange {
  readonly #socket: Socket;
  readonly #response: ServerResponse;
  readonly #head: Buffer;
  readonly #stalls: Stalls;
  #split: ((chunk: Buffer) => Buffer[]) | undefined;
  #ended = false;

  /** `head` is what the client has sent beyond its headers. */
  constructor(request: IncomingMessage, socket: Socket, head: Buffer, stalls: Stalls) {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.end());
    super(request, response, stalls);
    this.#socket = socket;
    this.#response = response;
    this.#head = head;
    this.#stalls = stalls;
  }

  override get gone(): boolean {
    return this.#split === undefined ? super.gone : this.#socket.destroyed && !this.#ended;
  }
  override respondEvents(headers: ResponseHeaders): void {
    if (this.responded || this.#socket.destroyed) return;
    this.status = 101;
    this.#response.detachSocket(this.#socket);
    const isText = !String(headers["content-type"]).includes("protobuf");
    this.#split = isText ? splitLines : splitLengths;
    const protocols = this.headerValues("sec-websocket-protocol").flatMap((value) => value.split(","));
    const trimmed = protocols.map((protocol) => protocol.trim());
    this.#socket.write(handshake(this.header("sec-websocket-key") ?? "", trimmed), "latin1");
    const reader = new FrameReader({
      ping: (payload) => {
        if (this.#socket.writableLength > pongsBufferedBytesMax) this.destroy();
        else if (!this.#ended) this.#socket.write(encodeFrame(opcodes.pong, payload));
      },
      close: (code) => this.#close(closeFrame(code)),
    });
    this.#socket.on("data", (chunk: Buffer) => reader.push(chunk));
    this.#socket.once("end", () => this.#close(undefined));
    reader.push(this.#head);
    this.#stalls.watch(this);
  }
  override write(chunk: Buffer): boolean {
    if (this.#split === undefined) return super.write(chunk);
    if (this.#ended || this.#socket.destroyed) return false;
    const opcode = this.#split === splitLines ? opcodes.text : opcodes.binary;
    const frames = Buffer.concat(this.#split(chunk).map((message) => encodeFrame(opcode, message)));
    return this.#socket.write(frames, this.#onTaken);
  }
  readonly #onTaken = () => {
    this.takenCount++;
  };
  /** There is one answer on a connection like this, and it is told when that closes. */
  override get isOrphan(): boolean {
    return false;
  }
  override drained(): Promise<void> {
    return this.#split === undefined ? super.drained() : untilDrained(this.#socket);
  }
  override end(): void {
    if (this.#split === undefined) super.end();
    else this.#close(closeFrame(1000));
  }
  override get bufferedBytes(): number {
    return this.#split === undefined ? super.bufferedBytes : this.#socket.writableLength;
  }
  override onFinish(callback: () => void): void {
    if (this.#socket.closed) callback();
    else this.#socket.once("close", callback);
  }

  /** Says goodbye, once, and does not wait long for the other side to do so too. */
  #close(last: Buffer | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    if (last === undefined) this.#socket.end();
    else this.#socket.end(last);
    const timer = setTimeout(() => this.#socket.destroy(), closingMs);
    this.#socket.once("close", () => clearTimeout(timer));
  }
}

/** Events in text are one line each. */
function splitLines(chunk: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < chunk.length; ) {
    const end = chunk.indexOf(0x0a, start);
    const next = end < 0 ? chunk.length : end + 1;
    lines.push(chunk.subarray(start, next));
    start = next;
  }
  return lines;
}

/** Binary events have their length before them, which a message does not need. */
function splitLengths(chunk: Buffer): Buffer[] {
  const events: Buffer[] = [];
  for (let start = 0; start + 4 <= chunk.length; ) {
    const end = start + 4 + chunk.readUInt32BE(start);
    events.push(chunk.subarray(start + 4, end));
    start = end;
  }
  return events;
}
