import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyedFifo } from "./keyed-fifo.ts";

test("keys come out in the order in which they came in, as from a Map", () => {
  const key = fc.constantFrom("a", "b", "c", "d");
  const step = fc.oneof(
    fc.record({ at: fc.constant("add" as const), key }),
    fc.record({ at: fc.constant("delete" as const), key }),
    fc.record({ at: fc.constant("take" as const), key }),
    fc.record({ at: fc.constant("clear" as const), key }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const fifo = new KeyedFifo<number>();
      const map = new Map<string, number>();
      for (const [at, one] of steps.entries()) {
        if (one.at === "add") {
          fifo.add(one.key, at);
          if (!map.has(one.key)) map.set(one.key, at);
        } else if (one.at === "delete") expect(fifo.delete(one.key)).toBe(map.delete(one.key));
        else if (one.at === "clear") {
          fifo.clear();
          map.clear();
        } else {
          const [first] = map;
          expect(fifo.take()).toEqual(first);
          if (first !== undefined) map.delete(first[0]);
        }
        expect([fifo.size, fifo.has(one.key)]).toEqual([map.size, map.has(one.key)]);
      }
    }),
  );
});

test("many keys that come and go leave no trace, wherever they were", () => {
  const fifo = new KeyedFifo<number>();
  fifo.add("first", 0);
  for (let at = 0; at < 10_000; at++) {
    fifo.add(`k${at}`, at);
    if (at % 2 === 0) fifo.delete(`k${at}`);
  }
  const taken: number[] = [];
  for (let next = fifo.take(); next !== undefined; next = fifo.take()) taken.push(next[1]);
  expect(taken).toEqual([0, ...Array.from({ length: 5_000 }, (_, at) => 2 * at + 1)]);
  expect(fifo.size).toBe(0);
});
