/** The events of a watch on their way to its client, at the pace of the client. */

import type { WatcherEvent } from "../../registry/contract/watch.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { FrameEncoder } from "../negotiation/watch-frames.ts";
import type { DeliveryWindows, Gathering } from "../server/delivery-windows.ts";
import { type GatheredEvents, gather } from "./gathered-events.ts";

/** Events of one watch that may wait for the asynchronous conversion of earlier ones; with more, the watch pauses. */
export const convertingEventsMax = 1_000;
/** Bytes of objects that may wait for the end of a window. */
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
  /** In memory a write costs nothing that gathering could save. Asynchronous conversions are shared by event, not by what was gathered. */
  readonly #mayGather: boolean;
  #writtenIn = Number.NEGATIVE_INFINITY;
  /** Events that wait for the end of the window, or for a client that does not read. They are encoded when they are written. */
  #gathered: GatheredEvents | undefined;
  #isDraining = false;
  /** Events behind those that are being converted. */
  #unconverted: WatcherEvent[] | undefined;
  #ending: { readonly reason: Error | undefined } | undefined;

  constructor(output: StreamOutput, owner: StreamOwner) {
    this.#output = output;
    this.#owner = owner;
    this.#mayGather = output.exchange.transport !== "memory" && output.frames.isImmediate;
  }

  /** False: no more until `resume` is called. */
  send(batch: readonly WatcherEvent[]): boolean {
    if (this.#unconverted !== undefined) {
      this.#unconverted.push(...batch);
      return this.#unconverted.length < convertingEventsMax;
    }
    const { windows } = this.#output;
    if (!this.#isDraining && !(this.#mayGather && windows.mustGather(this.#writtenIn))) return this.#sendNow(batch);
    if (!this.#isDraining) {
      if (this.#gathered === undefined) windows.add(this);
      else windows.gathered();
    }
    this.#gathered = gather(this.#gathered, batch);
    if (this.#isDraining) return false;
    return this.#gathered.bytes < gatheredBytesMax || this.#sendGathered(this.#gathered);
  }

  /** Writes what was gathered, unless the client does not read. */
  flush(): void {
    if (!this.#isDraining) this.writeRest();
  }

  /** Before the answer ends: what was gathered is part of it, also for a client that does not read at the moment. */
  writeRest(): void {
    if (this.#gathered === undefined) return;
    try {
      this.#sendGathered(this.#gathered);
    } catch (error) {
      this.#owner.fail(error as Error); // encoders and exchanges throw nothing else
    }
  }

  /** No events follow. The stream ends when everything has been sent. */
  end(reason: Error | undefined): void {
    if (this.#unconverted === undefined) this.#owner.fail(reason);
    else this.#ending = { reason };
  }

  #sendGathered({ events }: GatheredEvents): boolean {
    this.#gathered = undefined;
    return this.#sendNow(events);
  }

  #sendNow(batch: readonly WatcherEvent[]): boolean {
    const frame = this.#output.frames.encode(batch);
    if (frame instanceof Promise) {
      this.#unconverted = [];
      this.#convert(frame, batch.length).catch(this.#owner.fail);
      return true;
    }
    this.#owner.sent(batch.length, frame.length);
    return this.#write(frame);
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
