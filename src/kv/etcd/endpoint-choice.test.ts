import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { avoidedMs, EndpointChoice } from "./endpoint-choice.ts";

const failed = { hung: false };
const hung = { hung: true };

test("the next endpoint is asked when one fails, and a late failure of another changes nothing", () => {
  const choice = new EndpointChoice(3, createManualClock(0));
  expect(choice.leave(0, failed)).toBe(true);
  expect(choice.leave(0, failed)).toBe(false);
  expect(choice.current).toBe(1);
  choice.leave(1, failed);
  choice.leave(2, failed);
  expect(choice.current).toBe(0);
});

test("an endpoint that hangs is passed over for a while", () => {
  const clock = createManualClock(0);
  const choice = new EndpointChoice(3, clock);
  const asked: number[] = [];
  const fail = (how: typeof hung) => {
    choice.leave(choice.current, how);
    asked.push(choice.current);
  };
  fail(hung);
  for (let time = 0; time < 4; time += 1) fail(failed);
  expect(asked).toEqual([1, 2, 1, 2, 1]);
  clock.advance(avoidedMs);
  fail(failed);
  fail(failed);
  expect(asked.slice(5)).toEqual([2, 0]);
});

test("if all others hang, the one that did so first is asked", () => {
  const clock = createManualClock(0);
  const choice = new EndpointChoice(3, clock);
  const leave = (how: typeof hung): number => {
    clock.advance(1);
    choice.leave(choice.current, how);
    return choice.current;
  };
  expect([leave(hung), leave(hung), leave(failed)]).toEqual([1, 2, 0]);
  // It hangs again; the one that failed is next, then the one that hung before.
  expect([leave(hung), leave(hung), leave(failed)]).toEqual([2, 1, 0]);
});

test("a single endpoint is always asked", () => {
  const choice = new EndpointChoice(1, createManualClock(0));
  expect([choice.leave(0, hung), choice.leave(0, failed), choice.current]).toEqual([false, false, 0]);
});
