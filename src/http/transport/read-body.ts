/** Reads a request body whole, up to a limit, without waiting for what is over it. */

import type { Readable } from "node:stream";
import { badRequest, tooLarge } from "../../machinery/status/status.ts";

export interface BodyLimit {
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
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let total = 0;
    const stop = (error: unknown) => {
      source.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
      // An error that comes later belongs to nobody; without a listener it would end the process.
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
      if (first === undefined) first = chunk;
      else {
        rest ??= [first];
        rest.push(chunk);
      }
    };
    const onEnd = () => {
      stop(undefined);
      resolve(rest ? Buffer.concat(rest, total) : (first ?? empty));
    };
    const onError = (cause: unknown) => stop(badRequest("the request body ended early", cause));
    const onClose = () => stop(badRequest("the request body ended early"));
    source.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  });
}

function overLimit(bytesMax: number) {
  return tooLarge(`the request body must have at most ${bytesMax} bytes`);
}
