/** Watches: what is asked for, and what a receiver is told. */

import type { Entry } from "./entry.ts";
import type { ListQuery } from "./registry.ts";

export interface WatchQuery extends ListQuery {
  readonly allowBookmarks: boolean;
  readonly signal: AbortSignal;
}

/**
 * What a watcher is told. `entry` of a DELETED event is the last state, at the revision of the deletion. Events are
 * shared by all watchers of a family, so an encoder remembers its frame with `form`.
 */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly entry: Entry; readonly revision: bigint }
  | { readonly type: "BOOKMARK"; readonly revision: bigint };

/**
 * A watch under way. `start` hands over the receiver: `events` comes in order with one or more events, `end` once, with
 * the refusal that clients see as an ERROR event or undefined for a clean end. A receiver that cannot take more answers
 * false and calls `resume` later; a watcher that stays behind by more than the buffer's bound is ended, never waited for.
 */
export interface Watch {
  /** How many requirements on labels and fields each change may be compared with. */
  readonly requirements: number;
  start(receiver: WatchReceiver): void;
  /** The receiver can take more again. */
  resume(): void;
  /** Tells the receiver at once how far it is (shortly before a deadline), if bookmarks were asked for. */
  bookmark(): void;
  /** Nothing is told any more, not even the end. */
  close(): void;
}

export interface WatchReceiver {
  /** False: no more until `resume`. Any other answer, or none: go on. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a receiver that always takes everything need not answer
  events(batch: readonly WatchEvent[]): boolean | void;
  end(reason: Error | undefined): void;
}
