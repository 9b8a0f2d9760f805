/** One change of one object, and the events that watchers get about it; made once and shared by all of them. */

import type { WatcherEvent } from "../contract/watch.ts";
import type { StoredEntry } from "./entry.ts";

export type ObjectEvent = Extract<WatcherEvent, { entry: unknown }>;

export class Change {
  readonly path: string;
  readonly revision: bigint;
  /** When this process received it, on the monotonic clock. */
  readonly atMs: number;
  /** Undefined: the object was deleted. */
  readonly entry: StoredEntry | undefined;
  /** Undefined: the object is new. */
  readonly previous: StoredEntry | undefined;
  #added: readonly [ObjectEvent] | undefined;
  #modified: readonly [ObjectEvent] | undefined;
  #deleted: readonly [ObjectEvent] | undefined;

  constructor(
    path: string,
    revision: bigint,
    atMs: number,
    entry: StoredEntry | undefined,
    previous: StoredEntry | undefined,
  ) {
    this.path = path;
    this.revision = revision;
    this.atMs = atMs;
    this.entry = entry;
    this.previous = previous;
  }

  /**
   * The event for a watcher whose selection held the object before (`was`) and after (`is`) the change, as a batch of one;
   * undefined: nothing. An object that leaves the selection is shown as it last was in it, at the new revision.
   */
  eventFor(was: boolean, is: boolean): readonly [ObjectEvent] | undefined {
    const { entry, previous, revision } = this;
    if (is && entry !== undefined) {
      if (was) {
        this.#modified ??= [{ type: "MODIFIED", entry, revision }];
        return this.#modified;
      }
      this.#added ??= [{ type: "ADDED", entry, revision }];
      return this.#added;
    }
    if (!was || previous === undefined) return undefined;
    this.#deleted ??= [{ type: "DELETED", entry: previous.at(revision), revision }];
    return this.#deleted;
  }

  /** The memory that remembering the change costs: the state it replaced. */
  get bytes(): number {
    return 200 + (this.previous?.size ?? 0);
  }
}
