import { expect, test } from "vitest";
import { looksPerMsMax, quiet, type Workplace } from "./settle.ts";

test("a server that never rests is not waited for without end", async () => {
  let revision = 0n;
  const place: Workplace = {
    started: Promise.resolve(),
    requests: () => 0,
    queues: () => [],
    watchedBehind: () => [],
    revision: async () => revision++,
    catchUp: () => undefined,
  };
  expect(await quiet(place, { endMs: performance.now() + 20 })).toBe(false);
});

test("a hundred waits at once look no more often than a few, and all of them end", async () => {
  let looks = 0;
  let requests = 1;
  const place: Workplace = {
    started: Promise.resolve(),
    requests: () => requests,
    queues: () => [],
    watchedBehind: () => [],
    async revision() {
      looks++;
      return 1n;
    },
    catchUp: () => undefined,
  };
  const began = performance.now();
  const waits = Array.from({ length: 100 }, () => quiet(place, { limitMs: 60_000 }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const perMs = looks / (performance.now() - began);
  requests = 0;
  expect(await Promise.all(waits)).toEqual(waits.map(() => true));
  expect(perMs).toBeGreaterThan(0);
  expect(perMs).toBeLessThan(2 * looksPerMsMax); // the first look of each comes at once
});
