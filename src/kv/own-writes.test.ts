import { expect, test } from "vitest";
import { OwnWrites, ownBytesMax, ownWritesMax } from "./own-writes.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

test("what a watch brings back is the array that was written, once, and only with the same key and content", () => {
  const own = new OwnWrites();
  const [first, second] = [bytes("one"), bytes("two")];
  own.add("a", first);
  own.add("b", second);
  expect(own.take("a", bytes("two"))).toBeUndefined();
  expect(own.take("b", bytes("two"))).toBe(second);
  expect(own.take("b", bytes("two"))).toBeUndefined();
  expect(own.take("a", bytes("one"))).toBe(first);
});

test("a write that was refused is forgotten", () => {
  const own = new OwnWrites();
  const value = bytes("one");
  own.add("a", value);
  own.forget(value);
  expect(own.take("a", bytes("one"))).toBeUndefined();
});

test("the oldest writes are dropped when too many wait, or too many bytes", () => {
  const own = new OwnWrites();
  for (let at = 0; at <= ownWritesMax; at += 1) own.add(String(at), bytes("x"));
  expect(own.take("0", bytes("x"))).toBeUndefined();
  expect(own.take("1", bytes("x"))).toBeDefined();
  const large = new OwnWrites();
  large.add("a", bytes("x"));
  large.add("b", new Uint8Array(ownBytesMax));
  expect(large.take("a", bytes("x"))).toBeUndefined();
});
