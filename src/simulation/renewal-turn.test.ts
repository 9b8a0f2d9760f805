import { expect, test } from "vitest";
import { RenewalTurn } from "./renewal-turn.ts";

/** How many nodes renew in ten minutes if each renewal takes so long, one after the other; a turn of 500 is due every 1.5 s. */
function renewalsIn(totalMs: number, renewalMs: number): number {
  const names = Array.from({ length: 500 }, (_, at) => `node-${at}`);
  const turn = new RenewalTurn(1_500);
  let renewals = 0;
  for (let nowMs = 0; nowMs < totalMs; nowMs += 1_500) {
    if (nowMs < turn.restsUntilMs) continue;
    turn.begin(names, nowMs);
    for (const name of names) {
      nowMs += renewalMs;
      turn.ends(name, nowMs);
    }
    renewals += names.length;
  }
  return renewals;
}

test("a turn that keeps its time is followed by the next one", () => {
  const turn = new RenewalTurn(1_500);
  turn.begin(["a", "b"], 0);
  turn.ends("b", 1_000);
  turn.ends("a", 1_400);
  expect(turn.restsUntilMs).toBeLessThanOrEqual(1_500);
});

test("only the last node of a turn ends it, and others do not count", () => {
  const turn = new RenewalTurn(1_500);
  turn.begin(["a", "b"], 0);
  turn.ends("a", 60_000);
  turn.ends("c", 60_000);
  expect(turn.restsUntilMs).toBe(0);
});

test("the slower a renewal, the smaller is the part of the time that renewals take", () => {
  const tenMinutes = 600_000;
  const shares = [0.3, 3, 30, 100].map((renewalMs) => (renewalsIn(tenMinutes, renewalMs) * renewalMs) / tenMinutes);
  for (const share of shares.slice(2)) expect(share).toBeLessThan(0.3);
});
