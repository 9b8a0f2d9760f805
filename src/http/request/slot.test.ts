import { expect, test } from "vitest";
import { Slot } from "./slot.ts";

test("a slot uses one place until it ends, and none while it is released", () => {
  const places = { used: 0 };
  const slot = new Slot(places);
  expect(places.used).toBe(1);
  const comeBack = slot.release();
  expect(places.used).toBe(0);
  comeBack();
  expect(places.used).toBe(1);
  slot.end();
  expect(places.used).toBe(0);
});

test("a slot that was released twice gives one place back and takes one again", () => {
  const places = { used: 0 };
  const slot = new Slot(places);
  const [first, second] = [slot.release(), slot.release()];
  expect(places.used).toBe(0);
  second();
  first();
  expect(places.used).toBe(1);
});

test("a request that has ended takes no place again", () => {
  const places = { used: 0 };
  const slot = new Slot(places);
  const comeBack = slot.release();
  slot.end();
  comeBack();
  expect(places.used).toBe(0);
});
