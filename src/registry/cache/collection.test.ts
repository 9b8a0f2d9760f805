import { expect, test } from "vitest";
import { Change } from "./change.ts";
import { Collection } from "./collection.ts";
import { noteEntry, noteFamily } from "./entry.suite.ts";
import { parseSelection } from "./selection.ts";

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
