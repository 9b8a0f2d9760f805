import { expect, test } from "vitest";
import { TimeSlice } from "../base/time-slice.ts";
import { TurnBatching, writesTogetherMax } from "./batching.ts";
import { context, settled } from "./fixture.suite.ts";
import type { WriteStep } from "./run-steps.ts";

interface Named {
  readonly name: string;
  readonly context: ReturnType<typeof context>;
  readonly slice: TimeSlice | undefined;
}

const named = (name: string, slice?: TimeSlice): Named => ({ name, context: context(), slice });

/** Three steps that note who took them; `second` is what the second one does besides. */
function notedSteps(second: (write: Named) => void | Promise<void> = () => undefined) {
  const log: string[] = [];
  const note = ({ name }: Named, step: number) => void log.push(`${step}(${name})`);
  const steps: readonly WriteStep<Named>[] = [
    (write) => note(write, 1),
    (write) => {
      note(write, 2);
      return second(write);
    },
    (write) => note(write, 3),
  ];
  const batching = new TurnBatching();
  return { log, batching, take: async (write: Named) => batching.run(steps, write) };
}

test("writes of one turn take each step together", async () => {
  const { log, take } = notedSteps();
  await Promise.all([take(named("a")), take(named("b"))]);
  expect(log).toEqual(["1(a)", "1(b)", "2(a)", "2(b)", "3(a)", "3(b)"]);
});

test("a write that waits holds no other up, and takes the rest of its steps alone", async () => {
  let end = () => {};
  const waits = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { log, take } = notedSteps(({ name }) => (name === "b" ? waits : undefined));
  const ofB = take(named("b"));
  await take(named("a"));
  expect(log).toEqual(["1(b)", "1(a)", "2(b)", "2(a)", "3(a)"]);
  end();
  await ofB;
  expect(log.at(-1)).toBe("3(b)");
});

test("a write that is refused leaves the others alone", async () => {
  const { log, take } = notedSteps(({ name }) => {
    if (name !== "a") throw new Error(name);
  });
  const taken = await Promise.allSettled([take(named("b")), take(named("a")), take(named("c"))]);
  expect(taken.map((one) => (one.status === "rejected" ? one.reason.message : "done"))).toEqual(["b", "done", "c"]);
  expect(log.at(-1)).toBe("3(a)");
});

test("a write that is worked on in time slices takes its steps alone and at once", () => {
  const { log, take } = notedSteps();
  take(named("large", new TimeSlice()));
  expect(log).toEqual(["1(large)", "2(large)", "3(large)"]);
});

test("a write beside which none is in progress takes its steps at once, unless others wait already", async () => {
  const { log, batching, take } = notedSteps();
  const writers = { used: 1 };
  batching.follow(writers);
  await take(named("a"));
  expect(log).toEqual(["1(a)", "2(a)", "3(a)"]);
  log.length = 0;
  writers.used = 2;
  const ofB = take(named("b"));
  writers.used = 1;
  const both = [ofB, take(named("c"))];
  expect(log).toEqual([]);
  await Promise.all(both);
  expect(log).toEqual(["1(b)", "1(c)", "2(b)", "2(c)", "3(b)", "3(c)"]);
});

test("as many writes as may be held do not wait for more", async () => {
  const { log, take } = notedSteps();
  for (let at = 1; at < writesTogetherMax; at++) take(named("x"));
  expect(log).toEqual([]);
  take(named("last"));
  expect(log).toHaveLength(3 * writesTogetherMax);
  const next = take(named("next"));
  expect(log).toHaveLength(3 * writesTogetherMax);
  await next;
  await settled();
  expect(log.slice(-3)).toEqual(["1(next)", "2(next)", "3(next)"]);
});

test("writes that take long together let other work in between", async () => {
  let turns = 0;
  const { log, take } = notedSteps(() => {
    for (const end = performance.now() + 5; performance.now() < end; );
  });
  const counting = setInterval(() => turns++, 0);
  await Promise.all(Array.from({ length: 12 }, () => take(named("slow"))));
  clearInterval(counting);
  expect(log).toHaveLength(36);
  expect(turns).toBeGreaterThan(0);
});

test("one who is alone need not wait until others have come in", async () => {
  const batching = new TurnBatching();
  expect(batching.gather()).toBeInstanceOf(Promise);
  const writers = { used: 1 };
  batching.follow(writers);
  expect(batching.gather()).toBeUndefined();
  writers.used = 2;
  await batching.gather();
});
