import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { seededRandom } from "../base/seeded-random.ts";
import { KvError, OutcomeUnknown } from "./contract.ts";
import { type KeyStore, recordHistory } from "./histories.suite.ts";
import { isLinearizable, type Operation } from "./linearizable.suite.ts";
import { createMemoryKv } from "./memory/memory.ts";

const seeds = 500;
const latencyMsMax = 20;

/**
 * Clients of one store over a network that delays, loses and reorders what is sent, in simulated time: only the seed decides what
 * happens when. A request may be lost before it arrives, and an answer on its way back, so that a write has an unknown outcome.
 */
async function simulate(
  seed: number,
  spoil: (kv: KeyStore) => KeyStore = (kv) => kv,
): Promise<{ history: Operation[]; trace: string }> {
  const random = seededRandom(seed);
  const clock = createManualClock(0);
  const trace = createHash("sha256");
  /** When each message in progress arrives. */
  const arrivals: number[] = [];
  const travel = (what: string): Promise<void> => {
    const ms = Math.floor(random() * latencyMsMax);
    arrivals.push(clock.now() + ms);
    return new Promise((resolve) =>
      clock.after(ms, () => {
        trace.update(`${clock.now()} ${what}\n`);
        arrivals.splice(arrivals.indexOf(clock.now()), 1);
        resolve();
      }),
    );
  };
  const store = spoil(createMemoryKv());
  const call = async <Result>(key: string, isWrite: boolean, work: () => Promise<Result>): Promise<Result> => {
    const [isLost, isUnanswered] = [random() < 0.05, random() < 0.05];
    await travel(`request ${key}`);
    if (isLost) throw new KvError("unavailable", "the request was lost");
    const done = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await travel(`answer ${key} ${"error" in done ? String(done.error) : ""}`);
    if (isUnanswered) throw isWrite ? new OutcomeUnknown(key) : new KvError("unavailable", "the answer was lost");
    if ("error" in done) throw done.error;
    return done.value;
  };
  const remote: KeyStore = {
    get: (key) => call(key, false, () => store.get(key)),
    put: (key, value, expected) => call(key, true, () => store.put(key, value, expected)),
    delete: (key, expected) => call(key, true, () => store.delete(key, expected)),
  };
  let isDone = false;
  const running = recordHistory(remote, "key", { clients: 4, steps: 8, seed }).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    if (arrivals.length > 0) clock.advance(Math.min(...arrivals) - clock.now());
    await new Promise(setImmediate); // what the arrivals of this moment lead to
  }
  const history = await running;
  return { history, trace: trace.digest("hex") };
}

test("the results of clients over a bad network are linearizable, in every simulated run (F14 in docs/security-rows.md)", async () => {
  let unknown = 0;
  for (let seed = 0; seed < seeds; seed += 1) {
    const { history } = await simulate(seed);
    expect(isLinearizable(history), `seed ${seed}`).toBe(true);
    unknown += history.filter(({ kind }) => kind === "unknown").length;
  }
  expect(unknown).toBeGreaterThan(seeds / 2);
});

test("the same seed gives the same run (F14)", async () => {
  for (let seed = 0; seed < 5; seed += 1) {
    expect((await simulate(seed)).trace).toBe((await simulate(seed)).trace);
  }
  expect((await simulate(1)).trace).not.toBe((await simulate(2)).trace);
});

test("a store that ignores the expected revision of a write is detected (F14)", async () => {
  const careless = (kv: KeyStore): KeyStore => ({
    get: (key) => kv.get(key),
    delete: (key, expected) => kv.delete(key, expected),
    put: async (key, value) => kv.put(key, value, (await kv.get(key))?.revision ?? 0n),
  });
  let found = 0;
  for (let seed = 0; seed < 20; seed += 1) if (!isLinearizable((await simulate(seed, careless)).history)) found += 1;
  expect(found).toBeGreaterThan(10);
});
