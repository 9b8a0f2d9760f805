import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { foreignAccountWaitMs, ownAccountWaitMs, waitForAccount } from "./default-account.ts";

/** After how much time the wait ends, for an account that is there after `madeMs`. */
async function waited(options: { madeMs: number; makesAccounts: boolean; deadlineMs?: number }) {
  const clock = createManualClock(0);
  const { madeMs, makesAccounts, deadlineMs = Number.POSITIVE_INFINITY } = options;
  let seats = 1;
  let hasEnded = false;
  const request = {
    deadlineMs: clock.monotonic() + deadlineMs,
    signal: new AbortController().signal,
    releaseSeat: () => {
      seats--;
      return () => void seats++;
    },
  };
  const started = clock.monotonic();
  const find = () => (clock.monotonic() - started >= madeMs ? "account" : undefined);
  const result = waitForAccount(find, request, { clock, waitClock: clock, makesAccounts }).finally(() => {
    hasEnded = true;
  });
  expect(seats).toBe(0);
  while (!hasEnded) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!hasEnded) clock.advance(100);
  }
  expect(seats).toBe(1);
  return { found: await result, afterMs: clock.monotonic() - started };
}

test("a pod waits one second for an account that a controller elsewhere may create", async () => {
  expect((await waited({ madeMs: 800, makesAccounts: false })).found).toBe("account");
  const missing = await waited({ madeMs: 20_000, makesAccounts: false });
  expect(missing.found).toBeUndefined();
  expect(missing.afterMs).toBeLessThan(2 * foreignAccountWaitMs);
});

test("a pod waits for the controller of its own process, within limits", async () => {
  expect((await waited({ madeMs: 20_000, makesAccounts: true })).found).toBe("account");
  const missing = await waited({ madeMs: 60_000, makesAccounts: true });
  expect(missing.found).toBeUndefined();
  expect(missing.afterMs).toBeLessThan(ownAccountWaitMs + 1_000);
});

test("a pod is refused before its request times out", async () => {
  const missing = await waited({ madeMs: 20_000, makesAccounts: true, deadlineMs: 5_000 });
  expect(missing.found).toBeUndefined();
  expect(missing.afterMs).toBeLessThan(5_000);
});
