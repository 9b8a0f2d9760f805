import { describe, expect, test } from "vitest";
import { collect, settled } from "../fixture.suite.ts";
import { Change } from "./change.ts";
import type { Collection } from "./collection.ts";
import { noteEntry } from "./entry.suite.ts";
import { WatchHistory } from "./history.ts";
import type { Selection } from "./selection.ts";
import { emptySnapshot, replace, type Snapshot } from "./snapshot.ts";
import { Watcher, type WatcherOptions, watchedAtOnceMax } from "./watcher.ts";
import { Watchers } from "./watchers.ts";

const limits = { ageMs: 60_000, changesMax: 10_000, bytesMax: 1_000_000_000 };

/** A collection of `count` objects, each made by a separate change. */
function collectionOf(count: number) {
  let live: Snapshot = emptySnapshot;
  const history = new WatchHistory(0n, limits);
  for (let at = 1; at <= count; at += 1) {
    const made = noteEntry({ name: `n${String(at).padStart(5, "0")}`, revision: BigInt(at) });
    live = replace(live, made.path, undefined, made);
    history.append(new Change(made.path, made.revision, 0, made, undefined), live);
  }
  return { live, history, watchers: new Watchers(), closed: false };
}

/** Selects every tenth object, and takes its time. */
const slow: Selection = {
  namespace: "a",
  restricted: true,
  terms: [],
  requirements: 1,
  path: undefined,
  matches({ revision }) {
    for (const begin = performance.now(); performance.now() - begin < 0.02; );
    return revision % 10n === 0n;
  },
};

function watcherOf(collection: ReturnType<typeof collectionOf>, options: Partial<WatcherOptions>) {
  return new Watcher({
    collection: collection as Collection, // the parts that a watcher uses
    selection: slow,
    initial: undefined,
    since: 0n,
    allowBookmarks: false,
    reached: () => 0n,
    bufferBytesMax: 1_000,
    onFault: () => {},
    ...options,
  });
}

const expected = (count: number) =>
  Array.from({ length: count / 10 }, (_, at) => `ADDED a/n${String((at + 1) * 10).padStart(5, "0")}@${(at + 1) * 10}`);

describe("a watcher that has to check many objects", () => {
  const count = 2_000;
  for (const { what, from } of [
    { what: "of the state", from: (live: Snapshot) => ({ initial: live, since: BigInt(count) }) },
    { what: "of the history", from: () => ({ since: 0n }) },
  ]) {
    test(`${what} runs in time slices and gets the same events`, async () => {
      const collection = collectionOf(count);
      let slice = 0;
      const counting = setInterval(() => slice++, 0);
      const told = collect(watcherOf(collection, from(collection.live)));
      while (collection.watchers.size === 0) await settled();
      clearInterval(counting);
      expect(told.lines()).toEqual(expected(count));
      expect(slice).toBeGreaterThan(0);
    });

    test(`${what} stops in between when its receiver has closed it`, async () => {
      const collection = collectionOf(count);
      const watcher = watcherOf(collection, from(collection.live));
      const told = collect(watcher);
      const before = told.seen.length;
      watcher.close();
      for (let n = 0; n < 20; n += 1) await settled();
      expect([told.seen.length, collection.watchers.size]).toEqual([before, 0]);
    });
  }
});

describe("watchers that begin in the same turn of the event loop", () => {
  const all: Selection = { ...slow, restricted: false, matches: () => true };
  const begin = (objects: number, watchers: number) => {
    const collection = collectionOf(objects);
    const from = { initial: collection.live, since: BigInt(objects), selection: all };
    const told = Array.from({ length: watchers }, () => collect(watcherOf(collection, from)));
    return () => told.filter(({ seen }) => seen.length > 0).length;
  };
  test("with large states get them one after the other", async () => {
    const toldOf = begin(watchedAtOnceMax + 1, 5);
    expect(toldOf()).toBe(0);
    for (let before = 0; before < 5; ) {
      await new Promise((done) => setImmediate(done));
      expect(toldOf()).toBeLessThanOrEqual(before + 1);
      before = toldOf();
    }
  });
  test("with small states get them at once", () => expect(begin(watchedAtOnceMax, 5)()).toBe(5));
});

describe("a watcher that is not up to date yet", () => {
  const blocked = (collection: ReturnType<typeof collectionOf>) => {
    const outcome: { ended: boolean; reason: Error | undefined } = { ended: false, reason: undefined };
    const watcher = watcherOf(collection, { selection: { ...slow, restricted: false, matches: () => true } });
    watcher.start({
      events: () => false,
      end(reason) {
        outcome.ended = true;
        outcome.reason = reason;
      },
    });
    return { watcher, outcome };
  };

  test("ends as too old when the history that it reads is dropped", () => {
    const collection = collectionOf(1_200);
    const { watcher, outcome } = blocked(collection);
    collection.history = new WatchHistory(5_000n, limits);
    watcher.resume();
    expect(outcome.reason).toMatchObject({ code: 410, reason: "Expired" });
    expect(collection.watchers.size).toBe(0);
  });

  test("ends when its collection does", () => {
    const collection = collectionOf(1_200);
    const { watcher, outcome } = blocked(collection);
    collection.closed = true;
    watcher.resume();
    expect([outcome, collection.watchers.size]).toEqual([{ ended: true, reason: undefined }, 0]);
  });
});
