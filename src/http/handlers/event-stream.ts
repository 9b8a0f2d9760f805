/** The events of a watch on their way to its client, at the pace of the client. */

import type { WatcherEvent } from "../../registry/contract/watch.ts";
import type { Exchange } from "../contract/exchange.ts";
import { joinFrames } from "../negotiation/join-frames.ts";
import type { FrameEncoder } from "../negotiation/watch-frames.ts";
import type { DeliveryWindows, Gathering } from "../server/delivery-windows.ts";

/** Events of one watch that may wait for the asynchronous conversion of earlier ones; with more, the watch pauses. */
export const convertingEventsMax = 1_000;
/** Bytes that may wait for the end of a window. */
export const gatheredBytesMax = 64 * 1024;

/** The watch whose events a stream sends. */
export interface StreamOwner {
  /** The client has read enough for more. */
  resume(this: void): void;
  /** Nothing more can be sent; without a reason, because everything has been sent. */
  fail(this: void, reason: Error | undefined): void;
  sent(this: void, events: number, bytes: number): void;
}

/** Where a stream writes. */
interface StreamOutput {
  readonly exchange: Exchange;
  readonly frames: FrameEncoder;
  readonly windows: DeliveryWindows;
}

/** Writes events in order: at once, gathered with others, or after those that need asynchronous conversion. */
export class EventStream implements Gathering {
  readonly #output: StreamOutput;
  readonly #owner: StreamOwner;
  /** In memory a write costs nothing that gathering could save. */
  readonly #mayGather: boolean;
  #writtenIn = Number.NEGATIVE_INFINITY;
  /** Frames that wait for the end of the window, or for a client that does not read. */
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #isDraining = false;
  /** Events behind those that are being converted. */
  #unconverted: WatcherEvent[] | undefined;
  #ending: { readonly reason: Error | undefined } | undefined;

  constructor(output: StreamOutput, owner: StreamOwner) {
    this.#output = output;
    this.#owner = owner;
    this.#mayGather = output.exchange.transport !== "memory";
  }

  /** False: no more until `resume` is called. */
  send(batch: readonly WatcherEvent[]): boolean {
    if (this.#unconverted !== undefined) {
      this.#unconverted.push(...batch);
      return this.#unconverted.length < convertingEventsMax;
    }
    const { frames, windows } = this.#output;
    const frame = frames.encode(batch);
    if (frame instanceof Promise) {
      this.flush();
      this.#unconverted = [];
      this.#convert(frame, batch.length).catch(this.#owner.fail);
      return true;
    }
    this.#owner.sent(batch.length, frame.length);
    if (!this.#isDraining && !(this.#mayGather && windows.mustGather(this.#writtenIn))) return this.#write(frame);
    if (!this.#isDraining) {
      if (this.#gathered.length === 0) windows.add(this);
      else windows.gathered();
    }
    this.#gathered.push(frame);
    this.#gatheredBytes += frame.length;
    if (this.#isDraining) return false;
    return this.#gatheredBytes < gatheredBytesMax || this.#writeGathered();
  }

  /** Writes what was gathered, unless the client does not read. */
  flush(): void {
    if (this.#gathered.length > 0 && !this.#isDraining) this.#writeGathered();
  }

  /** Before the answer ends: what was gathered is part of it, also for a client that does not read at the moment. */
  writeRest(): void {
    if (this.#gathered.length > 0) this.#writeGathered();
  }

  /** No events follow. The stream ends when everything has been sent. */
  end(reason: Error | undefined): void {
    if (this.#unconverted === undefined) this.#owner.fail(reason);
    else this.#ending = { reason };
  }

  #writeGathered(): boolean {
    const bytes = joinFrames(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    return this.#write(bytes);
  }

  #write(bytes: Buffer): boolean {
    const { exchange, windows } = this.#output;
    if (this.#mayGather) this.#writtenIn = windows.written();
    if (exchange.write(bytes)) return true;
    this.#isDraining = true;
    exchange.drained().then(() => {
      this.#isDraining = false;
      this.flush();
      if (!this.#isDraining) this.#owner.resume();
    });
    return false;
  }

  async #convert(first: Promise<Buffer>, firstEvents: number): Promise<void> {
    const { exchange, frames } = this.#output;
    for (let frame = first, events = firstEvents; ; ) {
      const bytes = await frame;
      this.#owner.sent(events, bytes.length);
      if (!exchange.write(bytes)) await exchange.drained();
      const unconverted = this.#unconverted;
      if (unconverted === undefined || unconverted.length === 0) break;
      events = unconverted.length;
      frame = Promise.resolve(frames.encode(unconverted.splice(0)));
    }
    this.#unconverted = undefined;
    if (this.#ending === undefined) this.#owner.resume();
    else this.#owner.fail(this.#ending.reason);
  }
}
