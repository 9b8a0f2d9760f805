import { describe, expect, test } from "vitest";
import { createManualClock } from "./clock.ts";
import { createKeyedWork, keysAtOnceMax } from "./keyed-work.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("keyed work", () => {
  test("touching a key often asks for its work once", async () => {
    const done: string[] = [];
    const work = createKeyedWork({
      clock: createManualClock(0),
      work: async (key) => void done.push(key),
      failed() {},
    });
    work.touch("a");
    work.touch("b");
    work.touch("c");
    await turn();
    expect(done).toEqual(["a", "b", "c"]);
    await work.close();
  });

  test("a key that is touched while it is worked on is worked on once more, never at the same time", async () => {
    let running = 0;
    let times = 0;
    let release = () => {};
    const work = createKeyedWork({
      clock: createManualClock(0),
      async work() {
        running++;
        expect(running).toBe(1);
        times++;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        running--;
      },
      failed() {},
    });
    work.touch("a");
    await turn();
    work.touch("a");
    work.touch("a");
    release();
    await turn();
    release();
    await turn();
    expect(times).toBe(2);
    await work.close();
  });

  test("what fails is tried again, later each time, until it succeeds", async () => {
    const clock = createManualClock(0);
    let times = 0;
    const failures: unknown[] = [];
    const work = createKeyedWork({
      clock,
      async work() {
        times++;
        if (times < 3) throw new Error(`no ${times}`);
      },
      failed: (_key, error) => failures.push(error),
      retryMs: 100,
    });
    work.touch("a");
    await turn();
    clock.advance(100);
    await turn();
    clock.advance(199);
    await turn();
    expect(times).toBe(2);
    clock.advance(1);
    await turn();
    expect(times).toBe(3);
    clock.advance(10_000);
    await turn();
    expect(times).toBe(3);
    expect(failures).toHaveLength(2);
    await work.close();
  });

  test("of many keys a few are worked on at once, and others have the event loop in between", async () => {
    const keys = Array.from({ length: 500 }, (_, at) => `key${at}`);
    let running = 0;
    let most = 0;
    let turns = 0;
    const done: string[] = [];
    const work = createKeyedWork({
      clock: createManualClock(0),
      async work(key) {
        most = Math.max(most, ++running);
        await Promise.resolve();
        for (const begun = performance.now(); performance.now() - begun < 0.1; );
        running--;
        done.push(key);
      },
      failed() {},
    });
    for (const key of keys) work.touch(key);
    for (; done.length < keys.length; turns++) await turn();
    expect([done, most, turns > 2]).toEqual([keys, keysAtOnceMax, true]);
    await work.close();
  });

  test("a closed one begins nothing and waits for what is under way", async () => {
    let ended = false;
    const work = createKeyedWork({
      clock: createManualClock(0),
      async work() {
        await turn();
        ended = true;
      },
      failed() {},
    });
    work.touch("a");
    await Promise.resolve();
    await Promise.resolve();
    await work.close();
    expect(ended).toBe(true);
    work.touch("a");
  });
});
