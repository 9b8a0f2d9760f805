/**
 * A request over HTTP/1.1 that asks for another protocol. If its answer is a stream of events, it becomes a WebSocket with a message for
 * each event; if its handler forwards it, the handler takes over the connection.
 */

import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { encodeFrame, opcodes } from "../../base/websocket-frames.ts";
import type { MayUpgrade, ProtocolUpgrade, ResponseHeaders } from "../contract/exchange.ts";
import { Http1Exchange, type ListenerState } from "./http1-exchange.ts";
import { untilDrained } from "./socket-exchange.ts";
import type { Stalls } from "./stall.ts";
import { asksForWebSocket, closeFrame, FrameReader, handshake, mayBeForwarded } from "./websocket.ts";

/** How long a client has to close its side. */
const closingMs = 2_000;
/** Node closes the connection after the answer in any case. */
const notKept: ListenerState = { isClosing: true };
/** We do not buffer pongs for a client that does not read them. */
const pongsBufferedBytesMax = 65_536;

/**
 * The request class for node:http, so that we decide whether a request is an upgrade. Node sets `upgrade` when a
 * request has that header, and reads it once all headers are there; all other requests are handled as usual, with their bodies.
 */
export function upgradableRequest(mayUpgrade: MayUpgrade): typeof IncomingMessage {
  return class UpgradableRequest extends IncomingMessage {
    set upgrade(isUpgrade: boolean | null) {
      if (isUpgrade === true) upgrades.add(this);
    }
    get upgrade(): boolean {
      if (!upgrades.has(this)) return false;
      // A CONNECT tunnel is an upgrade too, and Node closes the connection if no listener handles it.
      if (this.method === "CONNECT" || asksForWebSocket(this)) return true;
      return mayBeForwarded(this) && mayUpgrade(this.method ?? "", this.url ?? "");
    }
  };
}
/** Stored outside the request, since Node's constructor sets `upgrade` before our fields exist. */
const upgrades = new WeakSet<IncomingMessage>();

export class WebSocketExchange extends Http1Exchange {
  readonly #socket: Socket;
  readonly #head: Buffer;
  #split: ((chunk: Buffer) => Buffer[]) | undefined;
  #ended = false;
  #isTaken = false;
  readonly #request: IncomingMessage;

  /** `head` is what the client has sent beyond its headers. */
  constructor(request: IncomingMessage, socket: Socket, head: Buffer, stalls: Stalls) {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => {
      socket.end();
      // A client that keeps its side open may not keep the connection: nothing reads it any more.
      const timer = setTimeout(() => socket.destroy(), closingMs);
      socket.once("close", () => clearTimeout(timer));
    });
    super(request, response, stalls, notKept);
    this.#request = request;
    this.#socket = socket;
    this.#head = head;
  }

  override get gone(): boolean {
    if (this.#isTaken) return this.#socket.destroyed;
    return this.#split === undefined ? super.gone : this.#socket.destroyed && !this.#ended;
  }
  get upgrade(): ProtocolUpgrade | undefined {
    if (!mayBeForwarded(this.#request)) return undefined;
    return { protocol: this.header("upgrade") ?? "", accept: (headers) => this.#handOver(headers) };
  }
  #handOver(headers: ResponseHeaders): Duplex {
    if (this.responded) throw new Error("the request has been answered already");
    this.status = 101;
    this.#isTaken = true;
    this.output.detachSocket(this.#socket);
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${String(one)}\r\n`),
    );
    this.#socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`, "latin1");
    if (this.#head.length > 0) this.#socket.unshift(this.#head);
    return this.#socket;
  }
  override respondEvents(headers: ResponseHeaders): void {
    if (!asksForWebSocket(this.#request)) {
      super.respondEvents(headers);
      return;
    }
    if (this.responded || this.#socket.destroyed) return;
    this.status = 101;
    this.output.detachSocket(this.#socket);
    const isText = !String(headers["content-type"]).includes("protobuf");
    this.#split = isText ? splitLines : splitLengths;
    const protocols = this.headerValues("sec-websocket-protocol").flatMap((value) => value.split(","));
    const trimmed = protocols.map((protocol) => protocol.trim());
    this.#socket.write(handshake(this.header("sec-websocket-key") ?? "", trimmed), "latin1");
    const pongs: Buffer[] = [];
    /** A chunk may have ten thousand pings: writing each answer by itself would take long. */
    const sendPongs = () => {
      if (pongs.length === 0) return;
      const frames = Buffer.concat(pongs.splice(0));
      if (this.#socket.writableLength > pongsBufferedBytesMax) this.destroy();
      else if (!this.#ended) this.#socket.write(frames);
    };
    const reader = new FrameReader({
      ping: (payload) => pongs.push(encodeFrame(opcodes.pong, payload)),
      close: (code) => {
        sendPongs();
        this.#close(closeFrame(code));
      },
    });
    const read = (chunk: Buffer) => {
      reader.push(chunk);
      sendPongs();
    };
    this.#socket.on("data", read);
    this.#socket.once("end", () => this.#close(undefined));
    read(this.#head);
    this.stalls.watch(this);
  }
  override write(chunk: Buffer, release?: () => void): boolean {
    if (this.#split === undefined) return super.write(chunk, release);
    if (this.#ended || this.#socket.destroyed) return false;
    const opcode = this.#split === splitLines ? opcodes.text : opcodes.binary;
    const frames = Buffer.concat(this.#split(chunk).map((message) => encodeFrame(opcode, message)));
    return this.#socket.write(frames, this.onTaken);
  }
  /** A connection like this has a single answer, which is notified when the connection closes. */
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

  /** Sends a close frame, once, and does not wait long for the client's close frame. */
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

/** Binary events begin with their length, which a message does not need. */
function splitLengths(chunk: Buffer): Buffer[] {
  const events: Buffer[] = [];
  for (let start = 0; start + 4 <= chunk.length; ) {
    const end = start + 4 + chunk.readUInt32BE(start);
    events.push(chunk.subarray(start + 4, end));
    start = end;
  }
  return events;
}
