/** The watch history of a family: watches can start from it and lists can show its states. Bounded in time, count and bytes. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { treeVisit } from "../../base/ordered-tree.ts";
import type { Change } from "./change.ts";
import { replace, type Snapshot } from "./snapshot.ts";

export interface WatchHistoryLimits {
  readonly ageMs: number;
  readonly changesMax: number;
  readonly bytesMax: number;
}

/** A state is kept after this many changes; one in between is made by undoing at most this many. */
const checkpointEvery = 128;
/** How many made states are remembered: all pages of a list read the same one. */
const rememberedMax = 8;

/**
 * Worked example, with a state kept after every two changes:
 *
 *     changes   5   7 | 9   12 |        kept states: after 7, after 12
 *     state at 8:  the one kept after 7, since nothing happened in between
 *     state at 5:  the one kept after 7, with the change of 7 undone
 *     trimmed to two changes:  9 12,  complete after 7;  the state at 6 is gone
 */
export class WatchHistory {
  readonly #limits: WatchHistoryLimits;
  /** Undefined before #head: those have been released. */
  #changes: (Change | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #completeAfter: bigint;
  /** `through`: how many changes had been appended in total when the state was kept. */
  #checkpoints: { readonly through: number; readonly snapshot: Snapshot }[] = [];
  /** How many changes have left; change number n (from 0) is at #changes[n - #gone + #head]. */
  #gone = 0;
  readonly #remembered = new Map<bigint, Snapshot>();

  constructor(completeAfter: bigint, limits: WatchHistoryLimits) {
    this.#completeAfter = completeAfter;
    this.#limits = limits;
  }

  /** Every change after this revision is still here. */
  get completeAfter(): bigint {
    return this.#completeAfter;
  }

  get size(): number {
    return this.#changes.length - this.#head;
  }

  /** The number of the next change; numbers only grow. */
  get end(): number {
    return this.#gone + this.size;
  }

  /** The number of the oldest change that is still here. */
  get start(): number {
    return this.#gone;
  }

  /** `after` is the state that the change led to. */
  append(change: Change, after: Snapshot): void {
    this.#changes.push(change);
    this.#bytes += change.bytes;
    if (this.end % checkpointEvery === 0) this.#checkpoints.push({ through: this.end, snapshot: after });
    const { changesMax, bytesMax } = this.#limits;
    while (this.size > changesMax || (this.#bytes > bytesMax && this.size > 1)) this.#forgetOldest();
    this.trim(change.atMs);
  }

  /** Drops changes that are too old at `nowMs`. */
  trim(nowMs: number): void {
    const oldest = nowMs - this.#limits.ageMs;
    while (this.size > 0 && this.#changes[this.#head]!.atMs < oldest) this.#forgetOldest();
  }

  at(number: number): Change | undefined {
    return this.#changes[number - this.#gone + this.#head];
  }

  /** The number of the first change after `revision`. */
  after(revision: bigint): number {
    let low = this.#head;
    let high = this.#changes.length;
    // Nearly every watcher is nearly up to date, so look at the end first.
    if (high === low || this.#changes[high - 1]!.revision <= revision) return this.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#changes[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low - this.#head + this.#gone;
  }

  /** The state right after `revision`; undefined: no longer known. `live` is the newest state. */
  stateAt(revision: bigint, live: Snapshot): Snapshot | undefined {
    if (revision < this.#completeAfter) return undefined;
    const wanted = this.after(revision);
    if (wanted === this.end) return live;
    const remembered = this.#remembered.get(revision);
    if (remembered !== undefined) {
      if (checksCaches) checkAnswer("remembered states", shown(remembered), shown(this.#stateBefore(wanted, live)));
      return remembered;
    }
    const snapshot = this.#stateBefore(wanted, live);
    this.#remember(revision, snapshot);
    return snapshot;
  }

  /** The state before the change of this number. */
  #stateBefore(wanted: number, live: Snapshot): Snapshot {
    const checkpoint = this.#checkpoints.find(({ through }) => through >= wanted);
    let snapshot = checkpoint?.snapshot ?? live;
    for (let number = (checkpoint?.through ?? this.end) - 1; number >= wanted; number -= 1) {
      const change = this.at(number)!;
      snapshot = replace(snapshot, change.path, change.entry, change.previous);
    }
    return snapshot;
  }

  #remember(revision: bigint, snapshot: Snapshot): void {
    this.#remembered.set(revision, snapshot);
    if (this.#remembered.size <= rememberedMax) return;
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      break;
    }
  }

  #forgetOldest(): void {
    const change = this.#changes[this.#head]!;
    this.#changes[this.#head] = undefined;
    this.#head += 1;
    this.#gone += 1;
    this.#bytes -= change.bytes;
    this.#completeAfter = change.revision;
    if (this.#checkpoints.length > 0 && this.#checkpoints[0]!.through <= this.#gone) this.#checkpoints.shift();
    for (const revision of this.#remembered.keys()) {
      if (revision < this.#completeAfter) this.#remembered.delete(revision);
    }
    if (this.#head > 1_000 && this.#head * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }
}

function shown({ entries }: Snapshot): readonly string[] {
  const all: string[] = [];
  treeVisit(entries, "", ({ path, revision }) => all.push(`${path} ${revision}`) > 0);
  return all;
}
