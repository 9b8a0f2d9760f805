/** Events that wait to be written together. Streams that got the same batches share them, and what is made of them. */

import type { WatcherEvent } from "../../registry/contract/watch.ts";

export class GatheredEvents {
  readonly #before: GatheredEvents | undefined;
  readonly #batch: readonly WatcherEvent[];
  #events: readonly WatcherEvent[] | undefined;
  /** The size of the objects, as JSON. */
  readonly bytes: number;

  constructor(before: GatheredEvents | undefined, batch: readonly WatcherEvent[]) {
    this.#before = before;
    this.#batch = batch;
    let bytes = before?.bytes ?? 0;
    for (const event of batch) if (event.type !== "BOOKMARK") bytes += event.entry.length;
    this.bytes = bytes;
  }

  /** All events in order; the same array for every stream, so that an encoder recognizes it. */
  get events(): readonly WatcherEvent[] {
    if (this.#events === undefined) {
      const batches: (readonly WatcherEvent[])[] = [];
      for (let part: GatheredEvents | undefined = this; part !== undefined; part = part.#before)
        batches.push(part.#batch);
      this.#events = batches.length === 1 ? this.#batch : batches.reverse().flat();
    }
    return this.#events;
  }
}

/** What was gathered last: the registry passes a batch to one watcher after another. */
let latest: { before: GatheredEvents | undefined; batch: readonly WatcherEvent[]; both: GatheredEvents } | undefined;

/** `batch` behind what a stream has gathered before; undefined: nothing. */
export function gather(before: GatheredEvents | undefined, batch: readonly WatcherEvent[]): GatheredEvents {
  if (latest === undefined || latest.before !== before || latest.batch !== batch)
    latest = { before, batch, both: new GatheredEvents(before, batch) };
  return latest.both;
}
