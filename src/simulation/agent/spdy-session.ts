/** The server's side of SPDY/3.1 on a connection that has been upgraded: streams that the client opens, each with its headers. */

import { type Duplex, PassThrough } from "node:stream";
import { constants, createInflate, type Inflate } from "node:zlib";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import { StreamBroken } from "../../client/streams/contract.ts";
import {
  controlFrame,
  dataFrame,
  frameTypes,
  headBytes,
  lastFlag,
  readSpdyHead,
  type SpdyHead,
  synReplyFrame,
} from "../../client/streams/spdy-frames.ts";
import { drained } from "../../client/streams/websocket.ts";
import { spdyDictionary } from "./spdy-dictionary.ts";

/** Limits of one connection: a frame, the headers of a stream when they are inflated, and streams at once. */
export const frameBytesMax = 1024 * 1024;
export const headerBytesMax = 64 * 1024;
export const streamsMax = 256;
const sentBytesMax = 32 * 1024;

export interface SpdyStream {
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** What the client sends, until it ends its side. */
  readonly input: AsyncIterable<Buffer>;
  send(data: Uint8Array): Promise<void>;
  /** Nothing more will be sent. */
  end(): Promise<void>;
}

interface OpenStream extends SpdyStream {
  readonly input: PassThrough;
  isEnded: boolean;
}

export class SpdySession {
  readonly #socket: Duplex;
  readonly #streams = new Map<number, OpenStream>();
  readonly #inflate: Inflate;
  #hasReplied = false;
  #lastOpened = 0;

  constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket;
    socket.on("error", () => {});
    if (head.length > 0) socket.unshift(head);
    this.#inflate = createInflate({ dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH });
    this.#inflate.on("error", () => socket.destroy());
  }

  /** The streams in the order in which the client opens them, until the connection ends. Must be read for data to arrive. */
  async *streams(): AsyncGenerator<SpdyStream> {
    try {
      for await (const { head, payload } of this.#frames()) {
        if (head.type === frameTypes.synStream) yield await this.#open(payload, (head.flags & lastFlag) !== 0);
        else if (head.type === frameTypes.data) await this.#receive(head, payload);
        else if (head.type === frameTypes.ping) await this.#write(controlFrame(frameTypes.ping, payload));
        else if (head.type === frameTypes.rstStream && payload.length >= 8) this.#reset(payload.readUInt32BE(0));
        else if (head.type === frameTypes.goAway) return;
        // Settings, windows and further headers change nothing for us.
      }
    } finally {
      for (const { input } of this.#streams.values()) input.end();
      this.#inflate.destroy();
    }
  }

  /** Ends the connection when everything has been sent. */
  close(): void {
    this.#socket.end();
  }

  async #open(payload: Buffer, isOver: boolean): Promise<SpdyStream> {
    if (payload.length < 10 || this.#streams.size >= streamsMax) throw this.#broken("too many streams");
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    // A second stream of the same number would hide the first, which nothing could end any more.
    if (id <= this.#lastOpened) throw this.#broken("streams out of order");
    this.#lastOpened = id;
    const headers = await this.#headers(payload.subarray(10));
    const input = new PassThrough();
    if (isOver) input.end();
    const stream: OpenStream = {
      headers,
      input,
      isEnded: false,
      send: async (data) => {
        for (let at = 0; at < data.length && !stream.isEnded; at += sentBytesMax)
          await this.#write(dataFrame(id, data.subarray(at, at + sentBytesMax), false));
      },
      end: async () => {
        if (stream.isEnded) return;
        stream.isEnded = true;
        await this.#write(dataFrame(id, Buffer.alloc(0), true));
        if (input.writableEnded) this.#streams.delete(id);
      },
    };
    this.#streams.set(id, stream);
    await this.#write(synReplyFrame(id, { isFirst: !this.#hasReplied }));
    this.#hasReplied = true;
    return stream;
  }

  async #receive({ streamId, flags }: SpdyHead, payload: Buffer): Promise<void> {
    const stream = this.#streams.get(streamId);
    if (stream === undefined || stream.input.writableEnded) return;
    if (payload.length > 0 && !stream.input.write(payload)) await drained(stream.input);
    if ((flags & lastFlag) === 0) return;
    stream.input.end();
    if (stream.isEnded) this.#streams.delete(streamId);
  }

  #reset(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.isEnded = true;
    stream.input.end();
    this.#streams.delete(id);
  }

  /** One block of headers out of the connection's stream of zlib. */
  async #headers(block: Buffer): Promise<ReadonlyMap<string, string>> {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= headerBytesMax) chunks.push(chunk);
      else this.#inflate.destroy();
    };
    this.#inflate.on("data", take);
    await new Promise<void>((resolve) => {
      // Removed again: a connection may open streams for days.
      const done = () => {
        this.#inflate.off("close", done);
        resolve();
      };
      this.#inflate.once("close", done);
      this.#inflate.write(block, () => this.#inflate.flush(constants.Z_SYNC_FLUSH, done));
    });
    this.#inflate.off("data", take);
    if (size > headerBytesMax || this.#inflate.destroyed) throw this.#broken("headers that cannot be read");
    return readHeaders(Buffer.concat(chunks)) ?? this.#fail("headers that cannot be read");
  }

  async *#frames(): AsyncGenerator<{ head: SpdyHead; payload: Buffer }> {
    let needed = headBytes;
    const begun = new GatheredBytes();
    // One read may bring thousands of frames.
    const slice = new TimeSlice();
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      const isWhole = begun.length === 0 && chunk.length >= needed;
      if (!isWhole) begun.push(chunk);
      if (!isWhole && begun.length < needed) continue;
      let kept = isWhole ? chunk : begun.take();
      for (needed = headBytes; kept.length >= headBytes; needed = headBytes) {
        const head = readSpdyHead(kept) ?? this.#fail("a frame of another protocol");
        if (head.length > frameBytesMax) this.#fail("a frame that is too large");
        needed = headBytes + head.length;
        if (kept.length < needed) break;
        yield { head, payload: kept.subarray(headBytes, needed) };
        if (slice.isOver) await slice.next();
        kept = kept.subarray(needed);
      }
      begun.push(kept);
    }
  }

  #broken(what: string): StreamBroken {
    this.#socket.destroy();
    return new StreamBroken(`the client sent ${what}`);
  }

  #fail(what: string): never {
    throw this.#broken(what);
  }

  async #write(frame: Buffer): Promise<void> {
    if (!this.#socket.writable) return;
    if (!this.#socket.write(frame)) await drained(this.#socket);
  }
}

/** Undefined: the bytes are not a list of names and values. */
function readHeaders(bytes: Buffer): Map<string, string> | undefined {
  let at = 0;
  const number = (): number => {
    at += 4;
    return at <= bytes.length ? bytes.readUInt32BE(at - 4) : -1;
  };
  const text = (): string | undefined => {
    const length = number();
    if (length < 0 || at + length > bytes.length) return undefined;
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  const headers = new Map<string, string>();
  for (let left = number(); left > 0; left--) {
    const [name, value] = [text(), text()];
    if (name === undefined || value === undefined) return undefined;
    headers.set(name.toLowerCase(), value);
  }
  return headers;
}
