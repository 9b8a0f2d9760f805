/** Objects of a family that no kind declares (yet): bytes only, with the latest changes, so that a kind that claims them has a watch history. */

import type { Transformed } from "../contract/transformer.ts";
import type { WatchHistoryLimits } from "./history.ts";

export interface UnclaimedObject extends Transformed {
  readonly revision: bigint;
}

/** One write to one object. */
interface UnclaimedChange {
  readonly path: string;
  readonly revision: bigint;
  /** On the monotonic clock. */
  readonly atMs: number;
  /** Undefined: the object was deleted. */
  readonly object: UnclaimedObject | undefined;
  /** Undefined: the object is new. */
  readonly previous: UnclaimedObject | undefined;
}

export class Unclaimed {
  readonly #limits: WatchHistoryLimits | undefined;
  readonly #objects = new Map<string, UnclaimedObject>();
  #changes: UnclaimedChange[] = [];
  #bytes = 0;
  #completeAfter: bigint;

  /** `limits` absent: changes are not kept, because watches of the family must start again. */
  constructor(completeAfter: bigint, limits: WatchHistoryLimits | undefined) {
    this.#completeAfter = completeAfter;
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#objects.size === 0 && this.#changes.length === 0;
  }

  /** The newest state. */
  get objects(): ReadonlyMap<string, UnclaimedObject> {
    return this.#objects;
  }

  /** Every change after this revision is in `changes`. */
  get completeAfter(): bigint {
    return this.#completeAfter;
  }

  /** In revision order. */
  get changes(): readonly UnclaimedChange[] {
    return this.#changes;
  }

  /** Whether the watch history is kept. */
  get hasHistory(): boolean {
    return this.#limits !== undefined;
  }

  /** An object that was there before all changes. */
  add(path: string, object: UnclaimedObject): void {
    this.#objects.set(path, object);
  }

  apply(path: string, change: Pick<UnclaimedChange, "object" | "revision" | "atMs">): void {
    const previous = this.#objects.get(path);
    if (change.object === undefined) this.#objects.delete(path);
    else this.#objects.set(path, change.object);
    if (this.#limits === undefined) return;
    this.#changes.push({ path, ...change, previous });
    this.#bytes += previous?.value.byteLength ?? 0;
    this.#trim(change.atMs, this.#limits);
  }

  /** Drops the changes: those up to the revision are incomplete. */
  interrupt(revision: bigint): void {
    this.#changes = [];
    this.#bytes = 0;
    this.#completeAfter = revision;
  }

  /** The state right after `completeAfter`. */
  base(): Map<string, UnclaimedObject> {
    const state = new Map(this.#objects);
    for (const { path, previous } of this.#changes.toReversed()) {
      if (previous === undefined) state.delete(path);
      else state.set(path, previous);
    }
    return state;
  }

  #trim(nowMs: number, { changesMax, bytesMax, ageMs }: WatchHistoryLimits): void {
    let gone = 0;
    for (const { previous, revision, atMs } of this.#changes) {
      const isOver = this.#changes.length - gone > changesMax || this.#bytes > bytesMax || atMs < nowMs - ageMs;
      if (!isOver) break;
      this.#bytes -= previous?.value.byteLength ?? 0;
      this.#completeAfter = revision;
      gone += 1;
    }
    if (gone > 0) this.#changes = this.#changes.slice(gone);
  }
}
