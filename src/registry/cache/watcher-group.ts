/** Watchers that get the same events: each batch is one array for all of them, so that an encoder recognizes it. */

import type { DeliveryPace, Gathering, WatcherEvent } from "../contract/watch.ts";
import type { ObjectEvent } from "./change.ts";
import type { Watcher } from "./watcher.ts";

/** Bytes of objects that may wait until a pace lets watchers be called. */
export const gatheredBytesMax = 64 * 1024;

/** Watchers that select the same objects at the same pace. What comes while the pace makes them wait is gathered once for all. */
export class WatcherGroup implements Gathering {
  readonly members = new Set<Watcher>();
  readonly pace: DeliveryPace | undefined;
  #calledIn = Number.NEGATIVE_INFINITY;
  #gathered: WatcherEvent[] = [];
  #gatheredBytes = 0;

  /** `pace`: undefined if the watchers are always called at once. */
  constructor(pace: DeliveryPace | undefined) {
    this.pace = pace;
  }

  get isGathering(): boolean {
    return this.#gathered.length > 0;
  }

  take(batch: readonly ObjectEvent[]): void {
    if (this.pace === undefined || !(this.isGathering || this.pace.mustGather(this.#calledIn))) {
      this.#call(batch);
      return;
    }
    if (this.isGathering) this.pace.gathered();
    else this.pace.add(this);
    for (const event of batch) {
      this.#gathered.push(event);
      this.#gatheredBytes += event.entry.length;
    }
    if (this.#gatheredBytes >= gatheredBytesMax) this.flush();
  }

  /** Calls the watchers with what was gathered. */
  flush(): void {
    if (!this.isGathering) return;
    const batch = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#call(batch);
  }

  #call(batch: readonly WatcherEvent[]): void {
    if (this.pace !== undefined) this.#calledIn = this.pace.called(this.members.size);
    for (const watcher of this.members) watcher.take(batch);
  }
}
