import { expect, test } from "vitest";
import { fnv32a, revisionHash, templateHash } from "./hash.ts";
import { revisionData } from "./history.ts";

test("the hash is FNV-1a of 32 bits", () => {
  expect(fnv32a(Buffer.from(""))).toBe(0x811c9dc5);
  expect(fnv32a(Buffer.from("a"))).toBe(0xe40c292c);
  expect(fnv32a(Buffer.from("foobar"))).toBe(0xbf9cf968);
});

test("names consist of letters and digits that cannot form words", () => {
  expect(templateHash({ spec: { containers: [] } })).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
});

test("the order of members does not matter, and a collision count does", () => {
  expect(templateHash({ a: 1, b: 2 })).toBe(templateHash({ b: 2, a: 1, c: undefined }));
  expect(templateHash({ a: 1 }, 1)).not.toBe(templateHash({ a: 1 }));
  expect(templateHash({ a: 1 }, 1)).not.toBe(templateHash({ a: 1 }, 2));
  expect(revisionHash({ a: 1 }, 1)).not.toBe(revisionHash({ a: 1 }));
  const [first, second] = [{ b: { "10": "x", "9": "<y>", c: 1 } }, { b: { c: 1, "9": "<y>", "10": "x" } }].map((data) =>
    revisionHash(revisionData({ metadata: { labels: data } } as object)),
  );
  expect(first).toBe(second);
});
