/** Joins small pieces into large chunks and sends them in time slices, at the pace of the client. */

import { createGzip } from "node:zlib";
import { TimeSlice } from "../../base/time-slice.ts";
import type { ResponseHeaders } from "../contract/exchange.ts";
import { pause, pieceBuffers } from "../negotiation/list-pieces.ts";
import type { Call } from "../request/call.ts";
import { type Answer, acceptsGzip, gzipLevel, gzipped, type Reply } from "./reply.ts";

/** Answers up to this size are sent in one step. */
const atOnceBytesMax = 65_536;
/** The size of a chunk that is written to the connection. */
const chunkBytes = 65_536;

interface PiecesOptions {
  /** The size of all pieces, if it is known beforehand: then the answer needs no chunked encoding. */
  readonly total?: number | undefined;
  readonly headers?: ResponseHeaders | undefined;
}

export function sendPieces(
  reply: Reply,
  pieces: Iterable<Buffer>,
  { total, headers: more }: PiecesOptions = {},
): Answer {
  const start: Buffer[] = [];
  let bytes = 0;
  let atOnceMax = atOnceBytesMax;
  let compress = false;
  let slice: TimeSlice | undefined;
  const iterator = pieces[Symbol.iterator]();
  for (let next = iterator.next(); ; next = iterator.next()) {
    if (next.done) {
      reply.call.exchange.send(reply.code, reply.headers(more), joined(start, bytes));
      return;
    }
    if (next.value === pause) {
      slice ??= new TimeSlice();
      if (slice.isLong) break;
      continue;
    }
    start.push(next.value);
    bytes += next.value.length;
    if (bytes <= atOnceMax) continue;
    const { compressAboveBytes } = reply.context.limits;
    compress = compressAboveBytes < Number.POSITIVE_INFINITY && acceptsGzip(reply.call);
    if (!compress || bytes > compressAboveBytes) break;
    // It may turn out to be too small to be compressed.
    atOnceMax = compressAboveBytes;
  }
  const headers = reply.headers(more);
  if (!compress && total !== undefined) headers["content-length"] = total;
  reply.call.exchange.respond(reply.code, compress ? gzipped(headers) : headers);
  return stream(reply.call, start, iterator, { compress, slice });
}

/** `slice`: the one in which the work so far was done. */
async function stream(
  call: Call,
  start: readonly Buffer[],
  rest: Iterator<Buffer>,
  { compress, slice = new TimeSlice() }: { readonly compress: boolean; readonly slice: TimeSlice | undefined },
): Promise<void> {
  const { exchange } = call;
  const sink: Sink = compress ? createGzipSink(exchange) : exchange;
  const packer = new Packer();
  for (const piece of start) packer.add(piece);
  if (slice.isLong) await slice.next();
  for (;;) {
    // A full chunk goes out before the next piece is made, which may use its buffer again.
    if (packer.isFull && !writeChunk(sink, packer.take())) await drained(call, sink);
    if (exchange.gone) return;
    if (slice.isOver) await slice.next();
    const next = rest.next();
    if (next.done) break;
    if (next.value !== pause) packer.add(next.value);
    else if (slice.isLong) await slice.next();
  }
  if (packer.bytes > 0 && !writeChunk(sink, packer.take())) await drained(call, sink);
  sink.end();
  await sink.finished?.();
}

function writeChunk(sink: Sink, chunk: Buffer): boolean {
  return sink.write(chunk, () => pieceBuffers.giveBack(chunk));
}

/** Clients that read slowly would otherwise hold all seats of their priority level. */
async function drained({ ticket }: Call, sink: Sink): Promise<void> {
  const comeBack = ticket?.releaseSeat();
  await sink.drained();
  comeBack?.();
}

/** A single piece is large already, and not copied. */
function joined(pieces: readonly Buffer[], bytes: number): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, bytes);
}

/** Collects pieces; copies them once, into one chunk. */
class Packer {
  #pieces: Buffer[] = [];
  bytes = 0;

  get isFull(): boolean {
    return this.bytes >= chunkBytes;
  }
  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.bytes += piece.length;
  }
  take(): Buffer {
    const chunk = joined(this.#pieces, this.bytes);
    this.#pieces = [];
    this.bytes = 0;
    return chunk;
  }
}

interface Sink {
  write(chunk: Buffer, release?: () => void): boolean;
  drained(): Promise<void>;
  end(): void;
  finished?(): Promise<void>;
}

/** Compresses outside the event loop, with backpressure from the client. */
function createGzipSink(exchange: Sink & { onFinish(callback: () => void): void }): Sink {
  const gzip = createGzip({ level: gzipLevel, chunkSize: 65_536 });
  const done = new Promise<void>((resolve) => {
    gzip.on("end", () => {
      exchange.end();
      resolve();
    });
    exchange.onFinish(() => {
      gzip.destroy();
      resolve();
    });
  });
  gzip.on("error", () => exchange.end());
  gzip.on("data", (chunk: Buffer) => {
    if (exchange.write(chunk)) return;
    gzip.pause();
    exchange.drained().then(() => gzip.resume());
  });
  return {
    write: (chunk, release) => gzip.write(chunk, (error) => error || release?.()),
    drained: () =>
      new Promise((resolve) => {
        if (gzip.destroyed || !gzip.writableNeedDrain) return resolve();
        gzip.once("drain", resolve);
        gzip.once("close", resolve);
      }),
    end: () => gzip.end(),
    finished: () => done,
  };
}
