/** The events of a watch on their way to its client, at the pace of the client. */

import type { WatcherEvent } from "../../registry/contract/watch.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { FrameEncoder } from "../negotiation/watch-frames.ts";

/** Events of one watch that may wait for the asynchronous conversion of earlier ones; with more, the watch pauses. */
export const convertingEventsMax = 1_000;

interface EventStream {
  /** False: no more until `resume` is called. */
  send(batch: readonly WatcherEvent[]): boolean;
  /** No events follow. The stream ends when everything has been sent. */
  end(reason: Error | undefined): void;
}

/** The watch whose events a stream sends. */
interface StreamOwner {
  /** The client has read enough for more. */
  resume(this: void): void;
  /** Nothing more can be sent; without a reason, because everything has been sent. */
  fail(this: void, reason: Error | undefined): void;
  sent(this: void, events: number, bytes: number): void;
}

/** Writes events in order: at once, or after those that need asynchronous conversion, many of them in one batch. */
export function createEventStream(exchange: Exchange, frames: FrameEncoder, owner: StreamOwner): EventStream {
  const { resume, fail, sent } = owner;
  let waiting: WatcherEvent[] | undefined;
  let ending: { readonly reason: Error | undefined } | undefined;
  const convert = async (first: Promise<Buffer>, firstEvents: number) => {
    for (let frame = first, events = firstEvents; ; ) {
      const bytes = await frame;
      sent(events, bytes.length);
      if (!exchange.write(bytes)) await exchange.drained();
      if (waiting === undefined || waiting.length === 0) break;
      events = waiting.length;
      frame = Promise.resolve(frames.encode(waiting.splice(0)));
    }
    waiting = undefined;
    if (ending === undefined) resume();
    else fail(ending.reason);
  };
  return {
    send(batch) {
      if (waiting !== undefined) {
        waiting.push(...batch);
        return waiting.length < convertingEventsMax;
      }
      const frame = frames.encode(batch);
      if (frame instanceof Promise) {
        waiting = [];
        convert(frame, batch.length).catch(fail);
        return true;
      }
      sent(batch.length, frame.length);
      if (exchange.write(frame)) return true;
      exchange.drained().then(resume);
      return false;
    },
    end(reason) {
      if (waiting === undefined) fail(reason);
      else ending = { reason };
    },
  };
}
