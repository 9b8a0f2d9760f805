/** Servers in simulated time: several registries on one store, over a network that delays, loses and reorders (F14 in docs/security-rows.md). */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { seededRandom } from "../base/seeded-random.ts";
import { type Kv, KvError, OutcomeUnknown, RevisionConflict } from "../kv/contract.ts";
import { type KeyStore, recordHistory } from "../kv/histories.suite.ts";
import { isLinearizable, type Operation } from "../kv/linearizable.suite.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { StatusError } from "../machinery/status/status.ts";
import { context, type Fixture, openFixture } from "./fixture.suite.ts";
import { mayHaveHappened } from "./store-errors.ts";

const seeds = process.env["LONG_TESTS"] === undefined ? 60 : 500;
const latencyMsMax = 15;
const lossRate = 0.03;

interface Network {
  /** Resolves when the message has arrived. */
  travel(what: string): Promise<void>;
  isLost(): boolean;
}

/** The store as one server sees it: only its watch shows it the writes of the others. */
function overNetwork(store: Kv, name: string, network: Network): Kv {
  const call = async <Result>(what: string, isWrite: boolean, work: () => Promise<Result>): Promise<Result> => {
    const [isUnsent, isUnanswered] = [network.isLost(), network.isLost()];
    await network.travel(`${name} asks ${what}`);
    if (isUnsent) throw new KvError("unavailable", "the request was lost");
    const done = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await network.travel(`${name} hears of ${what}`);
    if (isUnanswered) throw isWrite ? new OutcomeUnknown(what) : new KvError("unavailable", "the answer was lost");
    if ("error" in done) throw done.error;
    return done.value;
  };
  return {
    revision: () => call("revision", false, () => store.revision()),
    get: (key) => call(key, false, () => store.get(key)),
    range: (prefix, options) => call(prefix, false, () => store.range(prefix, options)),
    put: (key, value, expected) => call(key, true, () => store.put(key, value, expected)),
    delete: (key, expected) => call(key, true, () => store.delete(key, expected)),
    commit: (writes) => call("several keys", true, () => store.commit(writes)),
    async *watch(prefix, since, signal) {
      for await (const events of store.watch(prefix, since, signal)) {
        await network.travel(`${name} is told`);
        if (network.isLost()) throw new KvError("unavailable", "the connection of the watch broke");
        yield events;
      }
    },
    compact: (revision) => store.compact(revision),
    close: async () => {},
  };
}

/** One object of a server as a key of a store. */
function asKeyStore({ registry, kinds, post, replace }: Fixture): KeyStore {
  const ref = (name: string) => ({ namespace: "a", name });
  const translate = (key: string, expected: bigint, error: unknown): Error => {
    if (!(error instanceof StatusError)) return error instanceof Error ? error : new Error(String(error));
    if (mayHaveHappened(error)) return new OutcomeUnknown(key);
    if (["AlreadyExists", "Conflict", "NotFound"].includes(error.reason ?? ""))
      return new RevisionConflict(key, expected);
    if (["ServiceUnavailable", "Timeout"].includes(error.reason ?? ""))
      return new KvError("unavailable", error.message);
    return error;
  };
  return {
    async get(key) {
      try {
        const entry = await registry.get(kinds.note, ref(key));
        const { data } = entry.object() as { data?: { text?: string } };
        return { key, value: Buffer.from(data?.text ?? ""), revision: entry.revision, created: entry.revision };
      } catch (error) {
        if (error instanceof StatusError && error.reason === "NotFound") return undefined;
        throw translate(key, 0n, error);
      }
    },
    async put(key, value, expected) {
      const metadata = { name: key, ...(expected === 0n ? {} : { resourceVersion: String(expected) }) };
      const body = { metadata, data: { text: Buffer.from(value).toString() } };
      try {
        const written = await (expected === 0n ? post(kinds.note, body) : replace(kinds.note, body));
        return written.entry.revision;
      } catch (error) {
        throw translate(key, expected, error);
      }
    },
    async delete(key, expected) {
      const preconditions = { resourceVersion: String(expected) };
      try {
        await registry.delete(kinds.note, ref(key), { preconditions }, context());
        return expected;
      } catch (error) {
        throw translate(key, expected, error);
      }
    },
  };
}

type Spoil = (kv: Kv) => Kv;

async function simulate(seed: number, spoil: Spoil = (kv) => kv): Promise<{ history: Operation[]; trace: string }> {
  const random = seededRandom(seed);
  const clock = createManualClock(0);
  const trace = createHash("sha256");
  const network: Network = {
    isLost: () => random() < lossRate,
    travel: (what) =>
      new Promise((resolve) =>
        clock.after(1 + Math.floor(random() * latencyMsMax), () => {
          trace.update(`${clock.now()} ${what}\n`);
          resolve();
        }),
      ),
  };
  const store = createMemoryKv();
  const servers: Fixture[] = [];
  const run = async () => {
    for (const name of ["one", "two"]) {
      const kv = spoil(overNetwork(store, name, network));
      servers.push(await untilOpen(() => openFixture({ kv, clock })));
    }
    return await recordHistory(servers.map(asKeyStore), "note", { clients: 4, steps: 8, seed });
  };
  let isDone = false;
  const running = run().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    clock.advance(1);
    await new Promise(setImmediate); // what the arrivals of this moment lead to
  }
  const history = await running;
  const closed = Promise.all(servers.map(({ registry }) => registry.close()));
  for (let closing = true; closing; ) {
    clock.advance(1);
    closing = await Promise.race([closed.then(() => false), new Promise<boolean>((wait) => setImmediate(wait, true))]);
  }
  return { history, trace: trace.digest("hex") };
}

/** A store that cannot be reached at the start is retried, as by a server. */
async function untilOpen<T>(open: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof KvError) && !(error instanceof StatusError)) throw error;
    }
  }
}

test("what clients of two servers see is linearizable, in every simulated run", async () => {
  const counts = { write: 0, read: 0, refused: 0, unknown: 0, delete: 0 };
  for (let seed = 0; seed < seeds; seed += 1) {
    const { history } = await simulate(seed);
    expect(isLinearizable(history), `seed ${seed}`).toBe(true);
    for (const { kind } of history) counts[kind] += 1;
  }
  expect(counts.write).toBeGreaterThan(seeds * 2);
  expect(counts.read).toBeGreaterThan(seeds * 2);
  expect(counts.unknown).toBeGreaterThan(seeds / 4);
});

test("the same seed gives the same run", async () => {
  for (let seed = 0; seed < 3; seed += 1) expect((await simulate(seed)).trace).toBe((await simulate(seed)).trace);
  expect((await simulate(1)).trace).not.toBe((await simulate(2)).trace);
});

test("a server that does not check with the store before a read is detected", async () => {
  const hasty: Spoil = (kv) => ({ ...kv, revision: async () => 0n });
  let found = 0;
  for (let seed = 0; seed < 20; seed += 1) if (!isLinearizable((await simulate(seed, hasty)).history)) found += 1;
  expect(found).toBeGreaterThan(5);
});
