/**
 * The writes of a controller that its cache does not show yet. Until it shows all of them, acting on the cache would create
 * pods twice.
 */

import type { Clock } from "../../../base/clock.ts";

/** After this long a lost watch event no longer delays a controller. */
export const expectationTimeoutMs = 5 * 60_000;

export interface Expectations {
  /** Before `count` creates of the controller `key` are sent. */
  expectCreations(key: string, count: number): void;
  /** Before deletes are sent; `objects` are unique names of what is deleted. */
  expectDeletions(key: string, objects: readonly string[]): void;
  /** An object was seen, or its create failed. */
  creationObserved(key: string): void;
  /** The object is deleted or terminating, or its delete failed. */
  deletionObserved(key: string, object: string): void;
  /** Whether the cache shows all writes for `key`. */
  satisfied(key: string): boolean;
  /** The controller itself is gone. */
  forget(key: string): void;
}

interface Pending {
  creations: number;
  readonly deletions: Set<string>;
  readonly sinceMs: number;
}

export function createExpectations(clock: Pick<Clock, "monotonic">): Expectations {
  const pending = new Map<string, Pending>();
  const expect = (key: string, creations: number, deletions: readonly string[]) => {
    const before = pending.get(key);
    pending.set(key, {
      creations: creations + (before?.creations ?? 0),
      deletions: new Set([...(before?.deletions ?? []), ...deletions]),
      sinceMs: clock.monotonic(),
    });
  };
  return {
    expectCreations: (key, count) => expect(key, count, []),
    expectDeletions: (key, objects) => expect(key, 0, objects),
    creationObserved(key) {
      const found = pending.get(key);
      if (found !== undefined && found.creations > 0) found.creations -= 1;
    },
    deletionObserved(key, object) {
      pending.get(key)?.deletions.delete(object);
    },
    satisfied(key) {
      const found = pending.get(key);
      if (found === undefined) return true;
      const done = found.creations === 0 && found.deletions.size === 0;
      const late = clock.monotonic() - found.sinceMs > expectationTimeoutMs;
      if (done || late) pending.delete(key);
      return done || late;
    },
    forget(key) {
      pending.delete(key);
    },
  };
}
