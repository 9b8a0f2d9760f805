import { expect, test } from "vitest";
import { seededRandom } from "../../base/seeded-random.ts";
import { noteEntry } from "./entry.suite.ts";
import { NameIndex } from "./name-index.ts";

test("forks of an index, and forks of those, change independently", () => {
  const next = seededRandom(7);
  const random = (below: number) => Math.floor(next() * below);
  const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
  const pairs = [{ index: new NameIndex(), model: new Map<string, unknown>() }];
  for (let step = 0; step < 5_000; step++) {
    const { index, model } = pairs[random(pairs.length)]!;
    const name = names[random(names.length)]!;
    const deed = random(20);
    if (deed === 0) pairs[pairs.length < 8 ? pairs.length : random(8)] = { index: index.fork(), model: new Map(model) };
    else if (deed < 8) {
      index.delete({ namespace: "a", name });
      model.delete(name);
    } else {
      const entry = noteEntry({ name });
      index.set(entry);
      model.set(name, entry);
    }
    if (step % 50 > 0) continue;
    for (const pair of pairs) {
      const found = names.map((each) => pair.index.get({ namespace: "a", name: each }));
      expect(found.every((entry, at) => entry === pair.model.get(names[at]!))).toBe(true);
    }
  }
});
