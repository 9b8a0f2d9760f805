import { expect, test } from "vitest";
import { createManualClock } from "../clock.ts";
import { createWorkQueue, queueRetryMs } from "./work-queue.ts";

/** More than one, because a queue on a busy machine lets others use the event loop before it works on a key. */
const turn = async () => {
  for (let left = 5; left > 0; left--) await new Promise<void>((resolve) => setImmediate(resolve));
};
/** A queue whose work ends when the test decides. */
function open(workers = 2) {
  const clock = createManualClock(0);
  const log: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const queue = createWorkQueue({
    name: "test",
    clock,
    workers,
    work(key) {
      log.push(key);
      return new Promise((resolve, reject) => ends.set(key, (error) => (error ? reject(error) : resolve())));
    },
  });
  return { clock, log, queue, end: (key: string, error?: Error) => ends.get(key)?.(error) };
}

test("a waiting key is not added twice, and a key added during its reconciliation is reconciled once more", async () => {
  const { log, queue, end } = open();
  queue.add("a");
  queue.add("a");
  await turn();
  expect(log).toEqual(["a"]);
  queue.add("a");
  queue.add("a");
  await turn();
  expect(log).toEqual(["a"]);
  end("a");
  await turn();
  expect(log).toEqual(["a", "a"]);
  end("a");
  await queue.close();
});

test("no more keys are reconciled at once than allowed, in the order of adding", async () => {
  const { log, queue, end } = open(1);
  for (const key of ["a", "b", "c"]) queue.add(key);
  await turn();
  expect([log, queue.depth]).toEqual([["a"], 2]);
  end("a");
  await turn();
  expect(log).toEqual(["a", "b"]);
  const closed = queue.close();
  end("b");
  await closed;
  expect(log).toEqual(["a", "b"]);
});

test("failures are retried with growing delays, without delaying others", async () => {
  const { clock, log, queue, end } = open();
  queue.add("bad");
  await turn();
  end("bad", new Error("poisoned"));
  queue.add("good");
  await turn();
  expect(log).toEqual(["bad", "good"]);
  clock.advance(queueRetryMs);
  await turn();
  expect(log).toEqual(["bad", "good", "bad"]);
  end("bad", new Error("poisoned"));
  await turn();
  clock.advance(queueRetryMs);
  await turn();
  expect(queue.retries("bad")).toBe(2);
  expect(log).toHaveLength(3);
  clock.advance(queueRetryMs);
  await turn();
  expect(log).toHaveLength(4);
  expect(queue.stats.retries).toBe(2);
  queue.forget("bad");
  expect(queue.retries("bad")).toBe(0);
  end("bad");
  end("good");
  await queue.close();
});

test("the earliest of several delays is used", async () => {
  const { clock, log, queue, end } = open();
  queue.addAfter("a", 100);
  queue.addAfter("a", 50);
  queue.addAfter("a", 200);
  clock.advance(50);
  await turn();
  expect(log).toEqual(["a"]);
  end("a");
  await turn();
  clock.advance(500);
  await turn();
  expect(log).toEqual(["a"]);
  await queue.close();
});

test("failures of many keys are retried no faster than the queue allows, whatever the delay of each", async () => {
  const clock = createManualClock(0);
  const begun: string[] = [];
  const queue = createWorkQueue({
    name: "limited",
    clock,
    workers: 10,
    retryLimit: { perSecond: 10, burst: 2 },
    async work(key) {
      begun.push(key);
      if (begun.length <= 4) throw new Error("poisoned");
    },
  });
  for (const key of ["a", "b", "c", "d"]) queue.add(key);
  await turn();
  clock.advance(queueRetryMs);
  await turn();
  expect(begun.slice(4)).toEqual(["a", "b"]);
  clock.advance(100 - queueRetryMs);
  await turn();
  expect(begun.slice(4)).toEqual(["a", "b", "c"]);
  clock.advance(100);
  await turn();
  expect(begun.slice(4)).toEqual(["a", "b", "c", "d"]);
  await queue.close();
});

test("a key that rests after its work is worked on once for all adds meanwhile, and others do not wait for it", async () => {
  const restClock = createManualClock(0);
  const log: string[] = [];
  const work = async (key: string) => {
    log.push(key);
  };
  const restMs = (key: string) => (key === "large" ? 50 : 0);
  const queue = createWorkQueue({ name: "test", clock: createManualClock(0), workers: 1, work, restMs, restClock });
  queue.add("large");
  await turn();
  for (let times = 0; times < 3; times++) queue.add("large");
  queue.add("small");
  await turn();
  expect([log, queue.depth]).toEqual([["large", "small"], 1]);
  restClock.advance(50);
  await turn();
  expect([log, queue.depth, queue.stats.adds]).toEqual([["large", "small", "large"], 0, 3]);
  restClock.advance(50);
  queue.add("large");
  await turn();
  expect(log).toHaveLength(4);
  await queue.close();
});

test("a key that was added during its work and then rests does not keep the next key from its worker", async () => {
  const restClock = createManualClock(0);
  const log: string[] = [];
  const queue = createWorkQueue({
    name: "test",
    clock: createManualClock(0),
    workers: 1,
    restMs: () => 50,
    restClock,
    async work(key) {
      log.push(key);
      if (log.length === 1) for (const other of ["a", "b"]) queue.add(other);
    },
  });
  queue.add("a");
  await turn();
  expect(log).toEqual(["a", "b"]);
  restClock.advance(50);
  await turn();
  expect(log).toEqual(["a", "b", "a"]);
  await queue.close();
});

test("says when the first of the keys that were added for later is due", async () => {
  const { clock, queue, end } = open();
  expect(queue.dueInMs).toBeUndefined();
  queue.addAfter("a", 100);
  queue.addAfter("b", 50);
  clock.advance(20);
  expect(queue.dueInMs).toBe(30);
  clock.advance(30);
  await turn();
  expect(queue.dueInMs).toBe(50);
  end("b");
  await queue.close();
});
