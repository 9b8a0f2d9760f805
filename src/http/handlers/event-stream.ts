/** The events of a watch on their way to its client, at the pace of the client. */

import type { WatcherEvent } from "../../registry/contract/watch.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { FrameEncoder } from "../negotiation/watch-frames.ts";

/** Events of one watch that may wait for the asynchronous conversion of earlier ones; with more, the watch pauses. */
export const convertingEventsMax = 1_000;
/** Bytes that a client may leave unread until its watch pauses. Node 20 asks for a pause at a quarter of it, less than what is gathered. */
export const unreadBytesMax = 64 * 1024;

/** The watch whose events a stream sends. */
export interface StreamOwner {
  /** The client has read enough for more. */
  resume(this: void): void;
  /** Nothing more can be sent; without a reason, because everything has been sent. */
  fail(this: void, reason: Error | undefined): void;
  sent(this: void, events: number, bytes: number): void;
}

/** Writes events in order: at once, or after those that need asynchronous conversion. */
export class EventStream {
  readonly #exchange: Exchange;
  readonly #frames: FrameEncoder;
  readonly #owner: StreamOwner;
  /** Events behind those that are being converted. */
  #unconverted: WatcherEvent[] | undefined;
  #ending: { readonly reason: Error | undefined } | undefined;

  constructor(exchange: Exchange, frames: FrameEncoder, owner: StreamOwner) {
    this.#exchange = exchange;
    this.#frames = frames;
    this.#owner = owner;
  }

  /** False: no more until `resume` is called. */
  send(batch: readonly WatcherEvent[]): boolean {
    if (this.#unconverted !== undefined) {
      this.#unconverted.push(...batch);
      return this.#unconverted.length < convertingEventsMax;
    }
    const frame = this.#frames.encode(batch);
    if (frame instanceof Promise) {
      this.#unconverted = [];
      this.#convert(frame, batch.length).catch(this.#owner.fail);
      return true;
    }
    this.#owner.sent(batch.length, frame.length);
    if (this.#write(frame)) return true;
    this.#exchange.drained().then(this.#owner.resume);
    return false;
  }

  /** No events follow. The stream ends when everything has been sent. */
  end(reason: Error | undefined): void {
    if (this.#unconverted === undefined) this.#owner.fail(reason);
    else this.#ending = { reason };
  }

  /** False: too much is unread. */
  #write(bytes: Buffer): boolean {
    return this.#exchange.write(bytes) || this.#exchange.bufferedBytes < unreadBytesMax;
  }

  async #convert(first: Promise<Buffer>, firstEvents: number): Promise<void> {
    for (let frame = first, events = firstEvents; ; ) {
      const bytes = await frame;
      this.#owner.sent(events, bytes.length);
      if (!this.#write(bytes)) await this.#exchange.drained();
      const unconverted = this.#unconverted;
      if (unconverted === undefined || unconverted.length === 0) break;
      events = unconverted.length;
      frame = Promise.resolve(this.#frames.encode(unconverted.splice(0)));
    }
    this.#unconverted = undefined;
    if (this.#ending === undefined) this.#owner.resume();
    else this.#owner.fail(this.#ending.reason);
  }
}
