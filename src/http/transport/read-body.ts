/** Reads a whole request body, up to a limit, without waiting for the bytes above it. */

import type { Readable } from "node:stream";
import { badRequest, tooLarge } from "../../machinery/status/status.ts";

interface BodyLimit {
  readonly bytesMax: number;
  /** The Content-Length header as sent; undefined: none. */
  readonly declared: string | undefined;
  readonly onBytes: ((bytes: number) => void) | undefined;
}

const empty = Buffer.alloc(0);

export function readBody(source: Readable, limit: BodyLimit): Promise<Buffer> {
  const { bytesMax, declared, onBytes } = limit;
  if (declared !== undefined && Number(declared) > bytesMax) return Promise.reject(overLimit(bytesMax));
  if (source.readableEnded) return Promise.resolve(empty);
  return new Promise((resolve, reject) => {
    let gathered: Buffer = empty;
    let total = 0;
    const stop = (error: unknown) => {
      source.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
      // A later error has no other listener, and without one it would end the process.
      source.on("error", () => {});
      source.pause();
      if (error !== undefined) reject(error);
    };
    const onData = (chunk: Buffer) => {
      total += chunk.length;
      if (total > bytesMax) return stop(overLimit(bytesMax));
      try {
        onBytes?.(chunk.length);
      } catch (error) {
        return stop(error);
      }
      // Most bodies arrive in one chunk, which is used directly.
      if (total === chunk.length) gathered = chunk;
      else gathered = withChunk(gathered, chunk, total, Number(declared ?? 0));
    };
    const onEnd = () => {
      stop(undefined);
      resolve(gathered.length === total ? gathered : gathered.subarray(0, total));
    };
    const onError = (cause: unknown) => stop(badRequest("the request body ended early", cause));
    const onClose = () => stop(badRequest("the request body ended early"));
    source.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  });
}

/** A body that has arrived already. */
export async function takeBody(body: Buffer, { bytesMax, onBytes }: BodyLimit): Promise<Buffer> {
  if (body.length > bytesMax) throw overLimit(bytesMax);
  onBytes?.(body.length);
  return body;
}

/**
 * The body so far with another chunk, `total` bytes together. Chunks are copied as they arrive and then released: if they were kept
 * and copied at the end, all bodies in flight would be in memory twice. Buffer space that was never written uses no memory.
 */
function withChunk(body: Buffer, chunk: Buffer, total: number, declared: number): Buffer {
  const before = total - chunk.length;
  let room = body;
  if (room.length < total) {
    room = Buffer.allocUnsafeSlow(declared >= total ? declared : 2 * total);
    body.copy(room, 0, 0, before);
  }
  chunk.copy(room, before);
  return room;
}

function overLimit(bytesMax: number) {
  return tooLarge(`Request entity too large: limit is ${bytesMax}`);
}
