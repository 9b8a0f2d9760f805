import { expect, test } from "vitest";
import { Change } from "./change.ts";
import { Collection, indexedAtOnceMax } from "./collection.ts";
import { noteEntry, noteFamily } from "./entry.suite.ts";
import { parseSelection } from "./selection.ts";
import { find, visitIndexed } from "./snapshot.ts";

const asking = (key: string) => parseSelection(noteFamily.hub, { namespace: "", labelSelector: `${key}=1` });

function filled(size: number): Collection {
  const collection = new Collection(noteFamily, 0n, {
    ageMs: 1_000,
    changesMax: 100,
    bytesMax: 1_000_000,
  });
  for (let n = 0; n < size; n += 1) {
    collection.apply(
      new Change(`a/n${n}`, BigInt(n + 1), 0, noteEntry({ name: `n${n}`, labels: { l: String(n) } }), undefined),
    );
  }
  return collection;
}

test("an index is made when a term is used for the second time, in a large collection", () => {
  const small = filled(50);
  const large = filled(300);
  for (const collection of [small, large]) {
    collection.prepareFor(asking("l"));
    expect(collection.live.indexes.size).toBe(0);
    collection.prepareFor(asking("l"));
  }
  expect(small.live.indexes.size).toBe(0);
  expect([...large.live.indexes.keys()]).toEqual(["label l"]);
});

test("there are sixteen indexes at most, and the least recently used one is dropped", () => {
  const collection = filled(300);
  const ask = (key: string) => collection.prepareFor(asking(key));
  for (let n = 0; n < 16; n += 1) {
    ask(`k${n}`);
    ask(`k${n}`);
  }
  ask("k0");
  ask("new");
  ask("new");
  const kept = [...collection.live.indexes.keys()];
  expect(kept.length).toBe(16);
  expect(kept).toContain("label k0");
  expect(kept).not.toContain("label k1");
});

test("the number of terms that were used once is bounded", () => {
  const collection = filled(300);
  for (let n = 0; n < 5_000; n += 1) collection.prepareFor(asking(`k${n}`));
  expect(collection.live.indexes.size).toBe(0);
});

test("a selector of a thousand terms makes one index each time it is used", () => {
  const collection = filled(300);
  const labelSelector = Array.from({ length: 1_000 }, (_, at) => `k${at}=1`).join();
  const selection = parseSelection(noteFamily.hub, { namespace: "", labelSelector });
  for (const size of [0, 1, 2]) {
    collection.prepareFor(selection);
    expect(collection.live.indexes.size).toBe(size);
  }
});

test("a large collection is indexed in time slices, with what changes meanwhile", async () => {
  const collection = filled(indexedAtOnceMax + 1);
  for (let time = 0; time < 3; time++) collection.prepareFor(asking("l"));
  expect(collection.live.indexes.size).toBe(0);
  let revision = 10_000n;
  const change = (name: string, label: string | undefined) => {
    const previous = find(collection.live, `a/${name}`);
    const entry = label === undefined ? undefined : noteEntry({ name, labels: { l: label } });
    collection.apply(new Change(`a/${name}`, ++revision, 0, entry, previous));
  };
  change("n7", undefined);
  change("n8", "9");
  change("new", "9");
  await expect.poll(() => [...collection.live.indexes.keys()]).toEqual(["label l"]);
  change("newer", "9");
  const found = (value: string) => {
    const keys: string[] = [];
    visitIndexed(collection.live.indexes.get("label l")!, [value], "", (key) => keys.push(key) > 0);
    return keys.map((key) => key.slice(-5).replace(/^.*[^a-z0-9]/, ""));
  };
  expect(["7", "8", "9", "10"].map(found)).toEqual([[], [], ["n8", "n9", "new", "newer"], ["n10"]]);
});
