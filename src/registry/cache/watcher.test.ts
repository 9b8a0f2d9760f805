import { describe, expect, test } from "vitest";
import type { DeliveryPace, Gathering, WatcherEvent } from "../contract/watch.ts";
import { collect, settled } from "../fixture.suite.ts";
import { Change } from "./change.ts";
import type { Collection } from "./collection.ts";
import { noteEntry } from "./entry.suite.ts";
import { WatchHistory } from "./history.ts";
import type { Selection } from "./selection.ts";
import { emptySnapshot, replace, type Snapshot } from "./snapshot.ts";
import { Watcher, type WatcherOptions, watchedAtOnceMax } from "./watcher.ts";
import { gatheredBytesMax } from "./watcher-group.ts";
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
  hasCondition: false,
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

const change = (revision: number) => {
  const made = noteEntry({ name: `n${revision}`, revision: BigInt(revision) });
  return new Change(made.path, made.revision, 0, made, undefined);
};

describe("watchers with the same selection", () => {
  const receive = (collection: ReturnType<typeof collectionOf>, options: Partial<WatcherOptions>) => {
    const batches: (readonly WatcherEvent[])[] = [];
    watcherOf(collection, options).start({ events: (batch) => void batches.push(batch), end() {} });
    return batches;
  };

  test("get the events of one dispatch as one batch, for which each change was matched once", () => {
    let matched = 0;
    const counting: Selection = { ...slow, matches: () => ++matched > 0 };
    const collection = collectionOf(0);
    const told = [1, 2, 3].map(() => receive(collection, { selection: counting }));
    collection.watchers.dispatch([change(1), change(2)]);
    expect(matched).toBe(2);
    expect(told[0]!.map((batch) => batch.map(({ revision }) => revision))).toEqual([[1n, 2n]]);
    for (const batches of told) expect(batches[0]).toBe(told[0]![0]);
  });

  test("are found without requirements too, though each has parsed its own", () => {
    const collection = collectionOf(0);
    const all = (): Selection => ({ ...slow, restricted: false, requirements: 0, matches: () => true });
    const told = [1, 2].map(() => receive(collection, { selection: all() }));
    collection.watchers.dispatch([change(1)]);
    expect(told[0]!.length).toBe(1);
    expect(told[1]![0]).toBe(told[0]![0]);
  });

  test("get only what comes after the version from which each began", () => {
    const collection = collectionOf(0);
    const selection: Selection = { ...slow, matches: () => true };
    const told = [0n, 1n, 2n].map((since) => receive(collection, { selection, since }));
    collection.watchers.dispatch([change(1), change(2)]);
    expect(told.map((batches) => batches.map((batch) => batch.map(({ revision }) => revision)))).toEqual([
      [[1n, 2n]],
      [[2n]],
      [],
    ]);
  });
});

describe("watchers whose pace makes them wait", () => {
  const selection: Selection = { ...slow, matches: () => true };

  /** Watchers wait, once they were called, until `end` is called. */
  function slowPace() {
    const waiting: Gathering[] = [];
    const pace: DeliveryPace = {
      mustGather: (calledIn) => calledIn === 1,
      add: (one) => void waiting.push(one),
      gathered() {},
      called: () => 1,
    };
    return { pace, end: () => waiting.splice(0).forEach((one) => void one.flush()) };
  }

  /** What a watcher gets: each batch as one text, and how the watch ended. */
  function receive(collection: ReturnType<typeof collectionOf>, pace: DeliveryPace | undefined, since = 0n) {
    const told: string[] = [];
    const batches: (readonly WatcherEvent[])[] = [];
    const watcher = watcherOf(collection, { selection, since, allowBookmarks: true, reached: () => 9n });
    watcher.start({
      pace,
      events(batch) {
        batches.push(batch);
        told.push(batch.map(({ type, revision }) => (type === "BOOKMARK" ? "bookmark" : `${revision}`)).join(" "));
      },
      end: () => void told.push("end"),
    });
    return { watcher, told, batches };
  }

  function waiting() {
    const collection = collectionOf(0);
    const { pace, end } = slowPace();
    const [one, other] = [receive(collection, pace), receive(collection, pace)];
    for (const revision of [1, 2, 3]) collection.watchers.dispatch([change(revision)]);
    return { collection, pace, end, one, other };
  }

  test("are called with the first events at once, and later with all others in one array", () => {
    const { one, other, end } = waiting();
    expect(one.told).toEqual(["1"]);
    end();
    expect(one.told).toEqual(["1", "2 3"]);
    expect(other.batches[1]).toBe(one.batches[1]);
  });

  test("do not wait with more bytes than may be gathered", () => {
    const { collection, one } = waiting();
    let bytes = change(2).entry!.length + change(3).entry!.length;
    for (let revision = 4; bytes < gatheredBytesMax; revision++) {
      expect(one.told).toEqual(["1"]);
      const next = change(revision);
      collection.watchers.dispatch([next]);
      bytes += next.entry!.length;
    }
    expect(one.told.length).toBe(2);
  });

  test("do not make others wait", () => {
    const { collection, end } = waiting();
    const unpaced = receive(collection, undefined, 3n);
    collection.watchers.dispatch([change(4)]);
    expect(unpaced.told).toEqual(["4"]);
    end();
    expect(unpaced.told).toEqual(["4"]);
  });

  test("are joined by one that gets only what comes after its version", () => {
    const { collection, pace, end, one } = waiting();
    const later = receive(collection, pace, 2n);
    collection.watchers.dispatch([change(4)]);
    end();
    expect([one.told, later.told]).toEqual([["1", "2 3 4"], ["3 4"]]);
  });

  test("get what was gathered before a bookmark, before the end, and when it is asked for", () => {
    const { collection, one, other } = waiting();
    one.watcher.bookmark();
    expect(one.told).toEqual(["1", "2 3", "bookmark"]);
    collection.watchers.dispatch([change(4)]);
    other.watcher.flush();
    expect([one.told.at(-1), other.told.at(-1)]).toEqual(["4", "4"]);
    collection.watchers.dispatch([change(5)]);
    other.watcher.end(undefined);
    expect(other.told.slice(-2)).toEqual(["5", "end"]);
    expect(one.told.at(-1)).toBe("5");
  });

  test("get nothing that was gathered once they are closed", () => {
    const { one, other, end } = waiting();
    one.watcher.close();
    end();
    expect([one.told, other.told]).toEqual([["1"], ["1", "2 3"]]);
  });

  test("count as behind", () => {
    const { collection, end } = waiting();
    expect(collection.watchers.anyBehind()).toBe(true);
    end();
    expect(collection.watchers.anyBehind()).toBe(false);
  });
});

describe("watchers with a condition", () => {
  const count = 5;
  const conditional = (): Selection => ({ ...slow, hasCondition: true });
  const changed = (collection: ReturnType<typeof collectionOf>, at: number) => {
    const entry = noteEntry({ name: `n${at}`, revision: BigInt(at) });
    const change = new Change(entry.path, entry.revision, 0, entry, undefined);
    collection.history.append(change, collection.live);
    collection.watchers.dispatch([change]);
  };

  test("look at a change one after the other, in time slices, and miss none", async () => {
    const collection = collectionOf(10);
    const told = Array.from({ length: count }, () =>
      collect(watcherOf(collection, { since: 10n, selection: conditional() })),
    );
    expect(collection.watchers.size).toBe(count);
    for (let at = 11; at <= 20; at++) changed(collection, at);
    const toldOf = () => told.filter(({ seen }) => seen.length > 0).length;
    expect([toldOf(), collection.watchers.anyBehind()]).toEqual([0, true]);
    for (let before = 0; before < count; ) {
      await new Promise((done) => setImmediate(done));
      expect(toldOf()).toBeLessThanOrEqual(before + 1);
      before = toldOf();
    }
    for (let at = 21; at <= 30; at++) changed(collection, at);
    await expect.poll(() => collection.watchers.anyBehind()).toBe(false);
    for (const { lines } of told) expect(lines()).toEqual(["ADDED a/n20@20", "ADDED a/n30@30"]);
  });

  test("that are closed, or block, look at nothing more", async () => {
    const collection = collectionOf(10);
    const closed = watcherOf(collection, { since: 10n, selection: conditional() });
    const closedTold = collect(closed);
    const blocked = watcherOf(collection, { since: 10n, selection: conditional() });
    const seen: string[] = [];
    blocked.start({
      events(batch) {
        for (const event of batch) seen.push(`${event.type} ${event.revision}`);
        return false;
      },
      end() {},
    });
    for (let at = 11; at <= 20; at++) changed(collection, at);
    closed.close();
    await expect.poll(() => seen).toEqual(["ADDED 20"]);
    for (let at = 21; at <= 30; at++) changed(collection, at);
    for (let n = 0; n < 20; n += 1) await settled();
    expect([closedTold.seen.length, seen, collection.watchers.size]).toEqual([0, ["ADDED 20"], 1]);
    blocked.resume();
    await expect.poll(() => seen).toEqual(["ADDED 20", "ADDED 30"]);
  });
});
