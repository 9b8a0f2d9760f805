import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { countTurns } from "../../base/turn-counter.suite.ts";
import type { CachedObject, ListWatch } from "../contract.ts";
import { type Receiver, reflect } from "./reflector.ts";

/** More than a time slice. */
const decodeMs = 9;

interface Item {
  readonly name: string;
}

function slowToDecode(name: string): CachedObject<Item> {
  return {
    namespace: "",
    name,
    revision: 1n,
    labels: new Map(),
    object() {
      for (const end = performance.now() + decodeMs; performance.now() < end; );
      return { name };
    },
  };
}

test("others use the event loop while a list of objects that take long to decode is received", async () => {
  const listWatch: ListWatch<Item> = {
    address: { group: "", version: "v1", resource: "things", kind: "Thing", namespaced: false },
    list: async () => ({
      items: Array.from({ length: 10 }, (_, at) => slowToDecode(`x${at}`)),
      continue: "",
      resourceVersion: "1",
    }),
    async *watch({ signal } = {}) {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    },
  };
  const turns = countTurns();
  const received = new Map<number, number>();
  const stopped = new AbortController();
  await new Promise<void>((resolve) => {
    const receiver: Receiver<Item> = {
      part(objects) {
        for (const held of objects) held.object();
        received.set(turns.turn, (received.get(turns.turn) ?? 0) + objects.length);
      },
      listed: resolve,
      changed() {},
      restarted() {},
    };
    const options = { selection: {}, clock: systemClock, log: silentLog, random: Math.random, signal: stopped.signal };
    void reflect({ ...options, listWatch, receiver });
  });
  turns.stop();
  stopped.abort();
  expect(Math.max(...received.values())).toBe(1);
});

test("a large object, and the one that it replaces, are decoded in time slices before they are received", async () => {
  const decoded = new Map<string, number>();
  const turns = countTurns();
  const large = (name: string): CachedObject<Item> => ({
    ...slowToDecode(name),
    length: 1_000_000,
    *load() {
      for (let part = 0; part < 3; part++) {
        slowToDecode(name).object();
        yield;
      }
      decoded.set(name, turns.turn);
      return { name };
    },
  });
  const listWatch: ListWatch<Item> = {
    address: { group: "", version: "v1", resource: "things", kind: "Thing", namespaced: false },
    list: async () => ({ items: [large("first")], continue: "", resourceVersion: "1" }),
    async *watch({ signal } = {}) {
      yield { type: "MODIFIED", held: large("second"), resourceVersion: "2" };
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    },
  };
  const stopped = new AbortController();
  const began = turns.turn;
  const listed = await new Promise<readonly string[]>((resolve) => {
    let known: readonly string[] = [];
    const receiver: Receiver<Item> = {
      part() {
        known = [...decoded.keys()];
      },
      listed() {},
      before: () => large("before"),
      changed: () => resolve([...known, ...decoded.keys()]),
      restarted() {},
    };
    const options = { selection: {}, clock: systemClock, log: silentLog, random: Math.random, signal: stopped.signal };
    void reflect({ ...options, listWatch, receiver });
  });
  turns.stop();
  stopped.abort();
  expect(listed).toEqual(["first", "before", "first", "before", "second"]);
  // Each of the nine parts is longer than a time slice.
  expect(turns.turn - began).toBeGreaterThan(8);
});

test("what is shown is listed again after each failure, which is reported at once", async () => {
  const seen: string[] = [];
  let lists = 0;
  const listWatch: ListWatch<Item> = {
    address: { group: "", version: "v1", resource: "things", kind: "Thing", namespaced: false },
    async list() {
      lists++;
      if (lists === 1) throw new Error("away");
      return { items: [], continue: "", resourceVersion: String(lists) };
    },
    // biome-ignore lint/correctness/useYield: it breaks before it says anything
    async *watch() {
      throw new Error(`broken ${lists}`);
    },
  };
  const stopped = new AbortController();
  const receiver: Receiver<Item> = {
    part() {},
    listed: () => seen.push("listed"),
    changed() {},
    restarted() {},
    failed(error) {
      seen.push((error as Error).message);
      if (lists === 3) stopped.abort();
    },
  };
  const clock = { ...systemClock, after: (_: number, callback: () => void) => systemClock.after(0, callback) };
  const options = { selection: {}, clock, log: silentLog, random: Math.random, signal: stopped.signal };
  await reflect({ ...options, listWatch, receiver, isShown: true });
  expect(seen).toEqual(["away", "listed", "broken 2", "listed", "broken 3"]);
});

test("what cannot be watched is read once, and again only if that fails", async () => {
  const seen: string[] = [];
  const listWatch: ListWatch<Item> = {
    address: { group: "", version: "v1", resource: "things", kind: "Thing", namespaced: false },
    async list() {
      if (seen.length === 0) throw new Error("away");
      return { items: [], continue: "", resourceVersion: "" };
    },
    watch: () => {
      throw new Error("not watched");
    },
  };
  const receiver: Receiver<Item> = {
    part() {},
    listed: () => seen.push("listed"),
    changed() {},
    restarted() {},
    failed: (error) => seen.push((error as Error).message),
  };
  const { signal } = new AbortController();
  const options = { selection: {}, clock: systemClock, log: silentLog, random: Math.random, signal };
  await reflect({ ...options, listWatch, receiver, isShown: true, isOnce: true });
  expect(seen).toEqual(["away", "listed"]);
});
