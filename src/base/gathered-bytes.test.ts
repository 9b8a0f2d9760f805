import { expect, test } from "vitest";
import { GatheredBytes } from "./gathered-bytes.ts";

test("pieces of any size are joined in their order, and what was taken does not change any more", () => {
  const gathered = new GatheredBytes();
  for (let at = 0; at < 1_000; at++) gathered.push(Buffer.alloc(at % 7, at % 251));
  const expected = Buffer.concat(Array.from({ length: 1_000 }, (_, at) => Buffer.alloc(at % 7, at % 251)));
  expect(gathered.length).toBe(expected.length);
  const all = gathered.take();
  gathered.push(Buffer.from("more"));
  expect([Buffer.compare(all, expected), gathered.length]).toEqual([0, 4]);
  expect(gathered.take().toString()).toBe("more");
  expect(gathered.take()).toHaveLength(0);
});
