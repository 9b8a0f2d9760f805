/** Watches: the request, and what a receiver gets. */

import type { Entry } from "./entry.ts";
import type { RegistryListQuery } from "./registry.ts";

export interface RegistryWatchQuery extends RegistryListQuery {
  readonly allowBookmarks: boolean;
  /** Whether the options are checked as those of a list, as on the deprecated path of watches. Default: false. */
  readonly isCheckedAsList?: boolean;
  readonly signal: AbortSignal;
}

/**
 * What a watcher gets. `entry` of a DELETED event is the last state, at the revision of the deletion. Events are
 * shared by all watchers of a family, so an encoder makes each frame once.
 */
export type WatcherEvent =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      readonly entry: Entry;
      readonly revision: bigint;
      /** Part of the state with which one watch begins: not shared with others. */
      readonly isInitial?: boolean;
    }
  /** `endsInitial`: everything that was there when a watch list began has been sent. */
  | { readonly type: "BOOKMARK"; readonly revision: bigint; readonly endsInitial?: boolean };

/**
 * A running watch. `start` sets the receiver: `events` is called in order with one or more events, `end` once, with
 * the refusal that clients see as an ERROR event or undefined for a clean end. A receiver that cannot take more returns
 * false and calls `resume` later; the registry never waits: it ends a watcher that falls behind by more than the buffer's bound.
 */
export interface Watch {
  /** How many requirements on labels and fields may be checked for each change. */
  readonly requirements: number;
  start(receiver: WatchReceiver): void;
  /** The receiver can take more again. */
  resume(): void;
  /** Sends the receiver a bookmark now (shortly before a deadline), if bookmarks were requested. */
  bookmark(): void;
  /** Sends the receiver now what its pace makes wait. */
  flush(): void;
  /** Stops the watch: nothing more is sent, not even the end. */
  close(): void;
}

export interface WatchReceiver {
  /** False: send no more until `resume`. Any other result, or none: continue. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a receiver that always takes everything need not return a value
  events(batch: readonly WatcherEvent[]): boolean | void;
  end(reason: Error | undefined): void;
  /** Undefined: events are sent as they come. */
  readonly pace?: DeliveryPace | undefined;
}

/** Makes events wait for others, so that receivers to which each call is expensive are called less often. */
export interface DeliveryPace {
  /** Whether watchers that were last called at `calledIn`, a result of `called`, must wait for more. */
  mustGather(calledIn: number): boolean;
  /** Flushes `waiting` when the wait is over. */
  add(waiting: Gathering): void;
  /** Something more came for watchers that wait. */
  gathered(): void;
  /** So many watchers are called now. */
  called(watchers: number): number;
}

/** Watchers that wait. */
export interface Gathering {
  flush(): void;
}
