import { expect, test } from "vitest";
import { Patience } from "./patience.ts";

function wait(timeoutMs: number) {
  const at = { now: 1_000, waited: 70 as number | undefined };
  const patience = new Patience(timeoutMs, { now: () => at.now, waited: () => at.waited });
  return { at, patience };
}

test("a wait lasts as long as it was given", () => {
  const { at, patience } = wait(100);
  at.now += 60;
  expect(patience.leftMs()).toBe(40);
  at.now += 40;
  expect(patience.leftMs()).toBe(0);
});

test("what other programs took does not count", () => {
  const { at, patience } = wait(100);
  at.now += 150;
  at.waited = 70 + 80;
  expect(patience.leftMs()).toBe(30);
  at.now += 30;
  expect(patience.leftMs()).toBe(0);
});

test("it ends on any machine, and where the machine does not tell by real time", () => {
  const { at, patience } = wait(100);
  at.now += 1_200;
  at.waited = 70 + 1_190;
  expect(patience.leftMs()).toBe(0);
  at.now -= 1_100;
  at.waited = undefined;
  expect(patience.leftMs()).toBe(0);
});
