/**
 * The client's side of one HTTP/2 connection, as far as gRPC needs it: streams with headers, data and trailers, both windows, pings, and a
 * server that goes. Node's own makes a dozen objects for each stream, which cost more than what etcd is asked.
 */

import type { Socket } from "node:net";
import { Http2FrameReader } from "./frame-reader.ts";
import {
  frameBytesMax,
  frameFlag,
  frameHead,
  frameType,
  Http2Error,
  http2Code,
  readSettings,
  settingName,
  settingsFrame,
  windowBytesFirst,
  wordsFrame,
} from "./frames.ts";
import { HeaderError, HeaderReader } from "./headers.ts";
import { Http2Stream, type StreamHandler } from "./stream.ts";

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const windowBytesMax = 0x7fff_ffff;
/** Headers of an answer; a server that sends more is not asked again on this connection. */
const headersBytesMax = 64 * 1024;
/** Streams have odd numbers of 31 bits. A connection that has used them up is left. */
const streamNumberMax = windowBytesMax - 2;

interface ConnectionEvents {
  /** The settings of the server have arrived, so it speaks HTTP/2. */
  ready(): void;
  /** No further stream can be opened; those that are open may end. */
  going(): void;
  closed(error: Error | undefined): void;
}

export class Http2Connection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #windowBytes: number;
  readonly #headers = new HeaderReader();
  readonly #frames = new Http2FrameReader({
    frame: (type, flags, stream, content) => this.#accept(type, flags, stream, content),
    data: (stream, piece, isLast) => {
      this.#checkOrder(frameType.data, stream);
      this.#acceptData(stream, piece, piece.byteLength, isLast);
    },
  });
  readonly #streams = new Map<number, Http2Stream>();
  /** Opened while the server had as many as it takes. */
  #queued: Http2Stream[] = [];
  #streamsMax = Number.POSITIVE_INFINITY;
  #nextNumber = 1;
  /** What we may still send: on the connection, and on a stream when it begins. */
  #sendWindow = windowBytesFirst;
  #streamWindow = windowBytesFirst;
  /** Streams with data that the window of the connection holds back. */
  readonly #blocked = new Set<Http2Stream>();
  /** What came since the window of the server was last widened. */
  #received = 0;
  /** Headers that go on in the next frame. */
  #begun: { readonly stream: number; readonly isLast: boolean; readonly parts: Buffer[]; bytes: number } | undefined;
  #out: Buffer[] = [];
  #isReady = false;
  #isGoing = false;
  #error: Error | undefined;
  #pings: (() => void)[] = [];
  isClosed = false;

  /** `windowBytes`: how much each stream may send before what was read is confirmed. The socket is connected, and belongs to the connection. */
  constructor(socket: Socket, windowBytes: number, events: ConnectionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#windowBytes = windowBytes;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#onClose());
    this.#send(
      preface,
      settingsFrame([
        [settingName.enablePush, 0],
        [settingName.initialWindow, windowBytes],
      ]),
      wordsFrame(frameType.windowUpdate, 0, windowBytes - windowBytesFirst),
    );
  }

  /** `headers` are encoded: see headers.ts. */
  open(headers: Buffer, handler: StreamHandler): Http2Stream {
    if (this.#isGoing || this.isClosed) throw new Error("the connection was closed");
    if (headers.byteLength > frameBytesMax) throw new Error(`headers of more than ${frameBytesMax} bytes`);
    const stream = new Http2Stream(this, headers, handler);
    if (this.#streams.size >= this.#streamsMax) this.#queued.push(stream);
    else this.#begin(stream);
    return stream;
  }

  ping(onAnswer: () => void): void {
    this.#pings.push(onAnswer);
    this.#send(frameHead(frameType.ping, 0, 0, 8), Buffer.alloc(8));
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }

  destroy(error?: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }

  /** For streams. Data waits where a window is used up. */
  pump(stream: Http2Stream): void {
    if (stream.number === 0) return;
    while (stream.waiting.length > 0) {
      const { frame, isLast } = stream.waiting[0]!;
      const length = Math.min(frame.byteLength, frameBytesMax, Math.max(0, Math.min(stream.window, this.#sendWindow)));
      if (length === 0 && frame.byteLength > 0) {
        if (this.#sendWindow <= 0) this.#blocked.add(stream);
        return;
      }
      const isWhole = length === frame.byteLength;
      const flags = isWhole && isLast ? frameFlag.endStream : 0;
      this.#send(frameHead(frameType.data, flags, stream.number, length), frame.subarray(0, length));
      stream.window -= length;
      this.#sendWindow -= length;
      if (isWhole) {
        stream.waiting.shift();
        if (isLast) stream.isEndedHere = true;
      } else stream.waiting[0] = { frame: frame.subarray(length), isLast };
    }
  }

  /** For streams. */
  reset(stream: Http2Stream, code: number): void {
    if (stream.number === 0) this.#queued = this.#queued.filter((each) => each !== stream);
    else if (this.#streams.has(stream.number)) {
      this.#send(wordsFrame(frameType.reset, stream.number, code));
      this.#forget(stream);
    }
  }

  #begin(stream: Http2Stream): void {
    stream.number = this.#nextNumber;
    stream.window = this.#streamWindow;
    this.#nextNumber += 2;
    this.#streams.set(stream.number, stream);
    this.#send(
      frameHead(frameType.headers, frameFlag.endHeaders, stream.number, stream.headers.byteLength),
      stream.headers,
    );
    this.pump(stream);
    if (this.#nextNumber > streamNumberMax) this.#go(streamNumberMax);
  }

  #forget(stream: Http2Stream): void {
    this.#streams.delete(stream.number);
    this.#blocked.delete(stream);
    while (this.#queued.length > 0 && !this.#isGoing && this.#streams.size < this.#streamsMax)
      this.#begin(this.#queued.shift()!);
    if (this.#isGoing && this.#streams.size === 0) this.#leave();
  }

  /** The server closes its side as well; until then nothing waits for it. */
  #leave(): void {
    this.#flush();
    this.#socket.end();
    this.#socket.unref();
  }

  /** Frames of one turn are written together. */
  #send(...parts: readonly Buffer[]): void {
    if (this.isClosed) return;
    if (this.#out.length === 0) process.nextTick(() => this.#flush());
    this.#out.push(...parts);
  }

  #flush(): void {
    const out = this.#out;
    if (out.length === 0) return;
    this.#out = [];
    if (this.#socket.writable) this.#socket.write(out.length === 1 ? out[0]! : Buffer.concat(out));
  }

  #read(chunk: Buffer): void {
    if (this.#socket.destroyed) return;
    try {
      this.#frames.push(chunk);
    } catch (error) {
      if (!(error instanceof Http2Error) && !(error instanceof HeaderError)) throw error;
      const code = error instanceof Http2Error ? error.code : http2Code.compression;
      this.#send(wordsFrame(frameType.goAway, 0, 0, code));
      this.#flush();
      this.destroy(new Error(`the server does not speak HTTP/2 as agreed on: ${error.message}`));
    }
  }

  #checkOrder(type: number, number: number): void {
    if (this.#begun !== undefined && (type !== frameType.continuation || number !== this.#begun.stream))
      throw new Http2Error(http2Code.protocol, "headers that are interrupted");
    if (!this.#isReady && type !== frameType.settings)
      throw new Http2Error(http2Code.protocol, "its settings do not come first");
  }

  #accept(type: number, flags: number, number: number, content: Buffer): void {
    this.#checkOrder(type, number);
    const isLast = (flags & frameFlag.endStream) !== 0;
    const isAck = (flags & frameFlag.ack) !== 0;
    switch (type) {
      case frameType.data:
        this.#acceptData(number, withoutPadding(flags, content), content.byteLength, isLast);
        break;
      case frameType.headers: {
        const padded = withoutPadding(flags, content);
        const part = (flags & frameFlag.priority) === 0 ? padded : padded.subarray(5);
        this.#begun = { stream: number, isLast, parts: [part], bytes: part.byteLength };
        if ((flags & frameFlag.endHeaders) !== 0) this.#acceptHeaders();
        break;
      }
      case frameType.continuation:
        if (this.#begun === undefined) throw new Http2Error(http2Code.protocol, "headers without a beginning");
        this.#begun.parts.push(content);
        this.#begun.bytes += content.byteLength;
        if (this.#begun.bytes > headersBytesMax) throw new Http2Error(http2Code.calm, "headers that are too long");
        if ((flags & frameFlag.endHeaders) !== 0) this.#acceptHeaders();
        break;
      case frameType.reset:
        this.#end(this.#streams.get(number), { code: word(content, 0) });
        break;
      case frameType.settings:
        if (!isAck) this.#acceptSettings(content);
        break;
      case frameType.ping:
        if (isAck) this.#pings.shift()?.();
        else this.#send(frameHead(frameType.ping, frameFlag.ack, 0, content.byteLength), Buffer.from(content));
        break;
      case frameType.goAway:
        this.#go(word(content, 0) & windowBytesMax);
        break;
      case frameType.windowUpdate:
        this.#widen(number, word(content, 0) & windowBytesMax);
        break;
      case frameType.pushPromise:
        throw new Http2Error(http2Code.protocol, "a push, which was not agreed on");
      default: // RFC 9113 4.1: others are ignored
    }
  }

  #acceptHeaders(): void {
    const { stream: number, isLast, parts } = this.#begun!;
    this.#begun = undefined;
    // Read also where no caller waits any more: the table of the connection depends on it.
    const headers = this.#headers.read(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    const stream = this.#streams.get(number);
    if (stream === undefined) return;
    stream.handler.headers(headers);
    if (isLast) this.#end(stream, {});
  }

  #acceptData(number: number, data: Buffer, bytes: number, isLast: boolean): void {
    this.#received += bytes;
    if (this.#received >= this.#windowBytes / 2) {
      this.#send(wordsFrame(frameType.windowUpdate, 0, this.#received));
      this.#received = 0;
    }
    const stream = this.#streams.get(number);
    if (stream === undefined) return;
    stream.received += bytes;
    if (stream.received >= this.#windowBytes / 2 && !isLast) {
      this.#send(wordsFrame(frameType.windowUpdate, number, stream.received));
      stream.received = 0;
    }
    if (data.byteLength > 0) stream.handler.data(data);
    if (isLast) this.#end(stream, {});
  }

  /** Does nothing if the handler has reset the stream in its last callback. */
  #end(stream: Http2Stream | undefined, end: { readonly code?: number }): void {
    if (stream === undefined || !this.#streams.has(stream.number)) return;
    if (end.code === undefined && !stream.isEndedHere)
      this.#send(wordsFrame(frameType.reset, stream.number, http2Code.none));
    this.#forget(stream);
    stream.handler.closed(end);
  }

  #acceptSettings(content: Buffer): void {
    for (const [name, value] of readSettings(content)) {
      if (name === settingName.maxConcurrentStreams) this.#streamsMax = value;
      if (name !== settingName.initialWindow) continue;
      if (value > windowBytesMax) throw new Http2Error(http2Code.flowControl, "a window that is too large");
      const change = value - this.#streamWindow;
      this.#streamWindow = value;
      for (const stream of this.#streams.values()) stream.window += change;
    }
    this.#send(frameHead(frameType.settings, frameFlag.ack, 0, 0));
    if (!this.#isReady) {
      this.#isReady = true;
      this.#events.ready();
    }
    for (const stream of this.#streams.values()) this.pump(stream);
  }

  #widen(number: number, bytes: number): void {
    if (number !== 0) {
      const stream = this.#streams.get(number);
      if (stream === undefined) return;
      stream.window += bytes;
      this.pump(stream);
      return;
    }
    this.#sendWindow += bytes;
    const blocked = [...this.#blocked];
    this.#blocked.clear();
    for (const stream of blocked) this.pump(stream);
  }

  /** Streams after `last` were not and will not be read by the server. */
  #go(last: number): void {
    if (!this.#isGoing) {
      this.#isGoing = true;
      this.#events.going();
    }
    const refused = [...this.#queued, ...[...this.#streams.values()].filter(({ number }) => number > last)];
    this.#queued = [];
    for (const stream of refused) {
      this.#streams.delete(stream.number);
      this.#blocked.delete(stream);
      stream.handler.closed({ code: http2Code.refused });
    }
    if (this.#streams.size === 0) this.#leave();
  }

  #onClose(): void {
    this.isClosed = true;
    this.#isGoing = true;
    this.#out = [];
    const error = this.#error ?? new Error("the connection was closed");
    const open = [...this.#streams.values(), ...this.#queued];
    this.#streams.clear();
    this.#queued = [];
    this.#events.closed(this.#error);
    for (const stream of open) stream.handler.closed({ error });
  }
}

function withoutPadding(flags: number, content: Buffer): Buffer {
  if ((flags & frameFlag.padded) === 0) return content;
  const padding = content[0] ?? 0;
  if (padding >= content.byteLength) throw new Http2Error(http2Code.protocol, "padding that is too long");
  return content.subarray(1, content.byteLength - padding);
}

function word(content: Buffer, at: number): number {
  if (content.byteLength < at + 4) throw new Http2Error(http2Code.frameSize, "a frame that is too short");
  return content.readUInt32BE(at);
}
