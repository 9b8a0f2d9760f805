import { expect, test } from "vitest";
import type { Family } from "../../machinery/schema/catalog.ts";
import { Change } from "./change.ts";
import { Collection } from "./collection.ts";
import type { StoredEntry } from "./entry.ts";
import type { Selection } from "./selection.ts";

// Only what collections look at.
const entry = (name: string, labels: Record<string, string>) =>
  ({
    path: `a/${name}`,
    namespace: "a",
    name,
    bytes: Buffer.alloc(10),
    labels: new Map(Object.entries(labels)),
    field: () => undefined,
  }) as unknown as StoredEntry;
const asking = (key: string) => ({ terms: [{ index: `label ${key}`, values: ["1"] }] }) as unknown as Selection;

function filled(size: number): Collection {
  const collection = new Collection({ namespaced: true } as Family, 0n, {
    ageMs: 1_000,
    changesMax: 100,
    bytesMax: 1_000_000,
  });
  for (let n = 0; n < size; n += 1) {
    collection.apply(new Change(`a/n${n}`, BigInt(n + 1), 0, entry(`n${n}`, { l: String(n) }), undefined));
  }
  return collection;
}

test("an index is made when a term is asked for the second time, in a collection large enough", () => {
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

test("there are sixteen indexes at most, and the one asked for least recently goes", () => {
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

test("what was asked for once by many different terms is not remembered without bound", () => {
  const collection = filled(300);
  for (let n = 0; n < 5_000; n += 1) collection.prepareFor(asking(`k${n}`));
  expect(collection.live.indexes.size).toBe(0);
});
