import fc from "fast-check";
import { expect, test } from "vitest";
import { noteEntry } from "./entry.suite.ts";
import type { StoredEntry } from "./entry.ts";
import type { Selection } from "./selection.ts";
import { emptySnapshot, replace, type Snapshot, visitIndexed, withIndex } from "./snapshot.ts";
import { bestTerm, countFrom, takeInSlices, walk } from "./walk.ts";

const entry = (namespace: string, name: string, value: string) => noteEntry({ namespace, name, labels: { l: value } });

function select(namespace: string, values: readonly string[]): Selection & { looked: number } {
  const selection = {
    namespace,
    restricted: true,
    terms: [{ index: "label l" as const, values }],
    requirements: 1,
    hasCondition: false,
    path: undefined,
    looked: 0,
    matches(one: StoredEntry) {
      selection.looked += 1;
      return (namespace === "" || one.namespace === namespace) && values.includes(one.labels.get("l") ?? "");
    },
  };
  return selection;
}

function walked(snapshot: Snapshot, selection: Selection, from = ""): string[] {
  const found: string[] = [];
  walk(snapshot, selection, from, ({ path }) => found.push(path) > 0);
  return found;
}

const step = fc.record({
  namespace: fc.constantFrom("a", "aa", "a-b"),
  name: fc.integer({ min: 0, max: 40 }).map(String),
  value: fc.constantFrom("1", "2", "3", "2\u00001", "é"),
  gone: fc.boolean(),
});

test("a search with an index finds the same objects as one without, after any writes", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.nat({ max: 199 }),
      fc.constantFrom("", "a", "aa"),
      fc.subarray(["1", "2", "3", "é"]),
      fc.constantFrom("", "a/2", "aa/"),
      (steps, indexedAt, namespace, values, from) => {
        let snapshot = emptySnapshot;
        const now = new Map<string, StoredEntry>();
        steps.forEach((one, index) => {
          if (index === indexedAt) snapshot = withIndex(snapshot, "label l");
          const path = `${one.namespace}/${one.name}`;
          const previous = now.get(path);
          const next = one.gone ? undefined : entry(one.namespace, one.name, one.value);
          if (next === undefined) now.delete(path);
          else now.set(path, next);
          snapshot = replace(snapshot, path, previous, next);
        });
        const plain: Snapshot = { entries: snapshot.entries, indexes: new Map() };
        expect(walked(snapshot, select(namespace, values), from)).toEqual(
          walked(plain, select(namespace, values), from),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test("with an index the cost depends on the matches, not on the collection", () => {
  let snapshot = emptySnapshot;
  for (let n = 0; n < 5_000; n += 1) {
    const name = String(n).padStart(5, "0");
    snapshot = replace(snapshot, `a/${name}`, undefined, entry("a", name, `v${n % 500}`));
  }
  snapshot = withIndex(snapshot, "label l");
  const selection = select("a", ["v7"]);
  expect(walked(snapshot, selection).length).toBe(10);
  expect(selection.looked).toBe(10);
  expect(countFrom(snapshot, "a", "")).toBe(5_000);
});

test("a long search runs in time slices and finds the same", async () => {
  let snapshot = emptySnapshot;
  for (let at = 0; at < 2_000; at++)
    snapshot = replace(snapshot, `a/n${at}`, undefined, entry("a", `n${at}`, String(at % 2)));
  for (const indexed of [snapshot, withIndex(snapshot, "label l")]) {
    const slow = select("a", ["1"]);
    const { matches } = slow;
    const work = (one: StoredEntry) => {
      for (const begin = performance.now(); performance.now() - begin < 0.02; );
      return matches(one);
    };
    let slice = 0;
    const counting = setInterval(() => slice++, 0);
    const found = await takeInSlices(indexed, { ...slow, matches: work }, "", 900);
    clearInterval(counting);
    expect(found.map(({ path }) => path)).toEqual(walked(indexed, select("a", ["1"])).slice(0, 900));
    expect(slice).toBeGreaterThan(0);
  }
});

test("which index is used says nothing about other namespaces", () => {
  const own = (snapshot: Snapshot) => {
    let next = snapshot;
    for (let at = 0; at < 20; at++) next = replace(next, `a/n${at}`, undefined, entry("a", `n${at}`, String(at % 10)));
    return withIndex(next, "label l");
  };
  const others = (["1", "2"] as const).map((value) => {
    let snapshot = emptySnapshot;
    for (let at = 0; at < 50; at++) snapshot = replace(snapshot, `b/n${at}`, undefined, entry("b", `n${at}`, value));
    return own(snapshot);
  });
  const terms = [["1"], ["2"], ["absent"]].map((values) => ({ index: "label l" as const, values }));
  for (const some of [terms.slice(0, 2), terms.toReversed(), terms.slice(1)]) {
    const [one, other] = others.map((snapshot) => bestTerm(snapshot, { terms: some, namespace: "a" }));
    expect(one).toEqual(other);
    expect(one).toBeDefined();
  }
});

test("a search for several values gathers few paths at a time, and visits them in order", () => {
  let snapshot = emptySnapshot;
  for (let at = 0; at < 20_000; at++)
    snapshot = replace(snapshot, `a/n${at}`, undefined, entry("a", `n${at}`, String(at % 3)));
  snapshot = withIndex(snapshot, "label l");
  const index = snapshot.indexes.get("label l")!;
  let read = 0;
  const counted = new Proxy(index, {
    get(node, member, own) {
      read++;
      return Reflect.get(node, member, own);
    },
  });
  const first: string[] = [];
  visitIndexed(counted, ["0", "1"], "", (key) => first.push(key) < 3);
  expect(first.length).toBe(3);
  expect(read).toBeLessThan(50);
  const all: string[] = [];
  visitIndexed(index, ["0", "1"], "", (key) => all.push(key) > 0);
  expect(all.length).toBe(13_334);
  expect(all).toEqual(all.toSorted());
});
