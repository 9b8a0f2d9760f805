import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Kv, KvError, OutcomeUnknown } from "../contract.ts";
import { bytes, collect, follow } from "../follow.suite.ts";
import { recordHistory } from "../histories.suite.ts";
import { isLinearizable, type Operation } from "../linearizable.suite.ts";
import { openEtcdKv } from "./etcd.ts";
import { catchUpEntries, findEtcd, startTestCluster, type TestCluster } from "./server.fixture.ts";

const program = findEtcd();
/** How often a leader is stopped for a while (F8 in docs/security-rows.md). */
const pauses = process.env["LONG_TESTS"] === undefined ? 2 : 50;
/** At least; the others first have to find a new leader. In the long form it grows up to 5 s, and is 60 s once. */
const pauseMs = (round: number): number => (pauses === 2 ? 0 : round === 0 ? 60_000 : 1_000 + 80 * round);
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(program === undefined)("with three members of etcd", () => {
  let cluster: TestCluster;
  let endpoints: string[];
  beforeAll(async () => {
    cluster = await startTestCluster(program!);
    endpoints = cluster.members.map((member) => member.endpoint);
    await cluster.leader();
  });
  afterAll(() => cluster?.remove());
  let counter = 0;
  const open = (order: readonly string[], prefix: string, requestTimeoutMs = 6_000): Promise<Kv> =>
    openEtcdKv({ endpoints: order, prefix, allowPlaintext: true, requestTimeoutMs });
  const newPrefix = (): string => `/cluster${++counter}`;

  test("the results of clients of two servers are linearizable, and watches have no gap, while members die or hang", async () => {
    const prefix = newPrefix();
    const stores = [await open(endpoints, prefix), await open([...endpoints].reverse(), prefix)];
    const abort = new AbortController();
    const since = await stores[0]!.revision();
    const watchers = stores.map((kv) => follow(kv, "", since, abort.signal));
    let done = false;
    const troubles = async (): Promise<void> => {
      const others = async () => {
        const leader = await cluster.leader();
        return cluster.members.find((member) => member !== leader)!;
      };
      for (const [find, how] of [
        [() => cluster.leader(), "kill"],
        [() => cluster.leader(), "pause"],
        [others, "kill"],
        [() => cluster.leader(), "pause"],
        [others, "pause"],
        [() => cluster.leader(), "kill"],
      ] as const) {
        await delay(300);
        const member = await find();
        if (how === "kill") {
          await member.kill();
          await delay(700);
          await member.start();
        } else {
          member.pause();
          await delay(1_000);
          member.resume();
        }
      }
    };
    const trouble = troubles().finally(() => {
      done = true;
    });
    const histories: Operation[][] = [];
    for (let round = 0; !done; round += 1) {
      histories.push(await recordHistory(stores, `key${round}`, { clients: 6, steps: 8, seed: round }));
      await delay(1); // while no member can be reached, requests fail at once and would leave no time for anything else
    }
    await trouble;
    for (const history of histories) expect(isLinearizable(history), JSON.stringify(history, asText)).toBe(true);
    const written = histories.flat().filter(({ kind }) => kind === "write").length;
    expect(written).toBeGreaterThan(20);
    // Both watchers have seen what etcd itself has on record, each change once.
    const last = await stores[0]!.put("last", bytes("x"), 0n);
    for (const watcher of watchers) await watcher.until(last);
    const fresh = await open(endpoints, prefix);
    const expected = (await collect(fresh, "", since, watchers[0]!.changes.length)).map(({ revision }) => revision);
    expect(expected.at(-1)).toBe(last);
    for (const { changes } of watchers) expect(changes.map(({ revision }) => revision)).toEqual(expected);
    abort.abort();
    await Promise.all([...stores, fresh].map((kv) => kv.close()));
  }, 240_000);

  test("a watch leaves a stalled member as soon as a caller waits for it", async () => {
    const prefix = newPrefix();
    const leader = await cluster.leader();
    const standing = cluster.members.find((member) => member !== leader)!;
    const rest = endpoints.filter((endpoint) => endpoint !== standing.endpoint);
    const [kv, other] = [await open([standing.endpoint, ...rest], prefix), await open(rest, prefix)];
    const abort = new AbortController();
    const watcher = follow(kv, "", await kv.revision(), abort.signal);
    await watcher.until(await other.put("key1", bytes("x"), 0n));
    standing.pause();
    const began = performance.now();
    const second = await other.put("key2", bytes("x"), 0n);
    while (watcher.events.at(-1)!.revision < second) {
      expect(await kv.revision()).toBeGreaterThanOrEqual(second);
      await delay(50);
    }
    expect(performance.now() - began).toBeLessThan(9_000); // its connection would be given up after 15 s
    standing.resume();
    expect(watcher.changes.map(({ key }) => key)).toEqual(["key1", "key2"]);
    abort.abort();
    await Promise.all([kv.close(), other.close()]);
  });

  test("a leader that was cut off serves no stale reads when it is back", async () => {
    const prefix = newPrefix();
    for (let round = 0; round < pauses; round += 1) {
      const leader = await cluster.leader();
      const rest = endpoints.filter((endpoint) => endpoint !== leader.endpoint);
      const [old, others] = [await open([leader.endpoint], prefix, 2_000), await open(rest, prefix)];
      const key = `key${round}`;
      const first = await old.put(key, bytes("old"), 0n);
      leader.pause();
      const second = await others.put(key, bytes("new"), first);
      await delay(pauseMs(round));
      leader.resume();
      // It still takes itself for the leader for a moment: its reads and writes must wait for the others.
      const [seen, revision, stale] = await Promise.all([
        untilAnswered(() => old.get(key)),
        untilAnswered(() => old.revision()),
        old.put(key, bytes("lost"), first).catch((error: unknown) => error),
      ]);
      expect(seen?.revision).toBe(second);
      expect(revision).toBeGreaterThanOrEqual(second);
      // Unavailable: the new leader never received it, and it can never happen.
      expect(["conflict", "unavailable"]).toContain((stale as KvError).code);
      expect((await others.get(key))?.revision).toBe(second);
      await Promise.all([old.close(), others.close()]);
    }
  }, 1_200_000);

  test.skipIf(pauses === 2)(
    "a watch on a member that is brought up to date by a snapshot has no gap and no repetition",
    async () => {
      const prefix = newPrefix();
      const leader = await cluster.leader();
      const behind = cluster.members.find((member) => member !== leader)!;
      const rest = endpoints.filter((endpoint) => endpoint !== behind.endpoint);
      // Only this member is used, so that its watch cannot move to another one.
      const [kv, other] = [await open([behind.endpoint], prefix), await open(rest, prefix)];
      const abort = new AbortController();
      const since = await other.put("first", bytes("x"), 0n);
      const watcher = follow(kv, "", since, abort.signal);
      await watcher.until(await other.put("second", bytes("x"), 0n));
      behind.pause();
      for (let batch = 0; batch * 200 < catchUpEntries + 1_500; batch += 1) {
        await Promise.all(Array.from({ length: 200 }, (_, at) => other.put(`${batch}/${at}`, bytes("x"), 0n)));
      }
      behind.resume();
      const last = await other.put("last", bytes("x"), 0n);
      await watcher.until(last);
      expect(await untilAnswered(() => kv.get("last"))).toMatchObject({ revision: last });
      const expected = await collect(other, "", since, watcher.changes.length);
      expect(watcher.changes.map(({ revision }) => revision)).toEqual(expected.map(({ revision }) => revision));
      expect(watcher.changes.at(-1)?.revision).toBe(last);
      const metrics = await (await fetch(`${behind.endpoint}/metrics`)).text();
      expect(Number(/^etcd_network_snapshot_receive_success\S* (\d+)/m.exec(metrics)?.[1] ?? 0)).toBeGreaterThan(0);
      abort.abort();
      await Promise.all([kv.close(), other.close()]);
    },
    300_000,
  );

  test("without a majority nothing is written or read; both continue when there is one again", async () => {
    const prefix = newPrefix();
    const kv = await open(endpoints, prefix, 1_500);
    const first = await kv.put("key", bytes("1"), 0n);
    const leader = await cluster.leader();
    const away = [leader, cluster.members.find((member) => member !== leader)!];
    await Promise.all(away.map((member) => member.kill()));
    const [write, read] = await Promise.all([
      kv.put("key", bytes("2"), first).catch((error: unknown) => error),
      kv.get("key").catch((error: unknown) => error),
    ]);
    expect(write).toBeInstanceOf(KvError);
    expect(["outcome-unknown", "unavailable"]).toContain((write as KvError).code);
    expect(read).toMatchObject({ code: "unavailable" });
    await Promise.all(away.map((member) => member.start()));
    await expect.poll(() => kv.get("key").catch(() => undefined)).toBeDefined();
    const now = (await kv.get("key"))!;
    if (!(write instanceof OutcomeUnknown)) expect(now.revision).toBe(first);
    expect(await kv.put("key", bytes("3"), now.revision)).toBeGreaterThan(now.revision);
    await kv.close();
  });
});

/** The first answer: until the member knows its new leader it may say unavailable, but nothing wrong. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof KvError) || error.code !== "unavailable" || attempt >= 5) throw error;
    }
  }
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
