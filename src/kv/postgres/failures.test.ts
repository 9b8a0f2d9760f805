import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { type Kv, KvClosed, OutcomeUnknown, RevisionCompacted, RevisionConflict } from "../contract.ts";
import { bytes, collect, follow, text } from "../follow.suite.ts";
import { recordHistory } from "../histories.suite.ts";
import { isLinearizable } from "../linearizable.suite.ts";
import { startTestProxy } from "../proxy.fixture.ts";
import { openPostgresKv } from "./postgres.ts";
import { findPostgres, makeDatabase, startTestPostgres, type TestPostgres, targetOf } from "./server.fixture.ts";
import { batchBytesMax, batchWritesMax } from "./writer.ts";

const programs = findPostgres();
const isLong = process.env["LONG_TESTS"] !== undefined;
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(programs === undefined)("a PostgreSQL that fails", () => {
  let postgres: TestPostgres;
  const opened: Kv[] = [];
  const others: TestPostgres[] = [];
  beforeAll(async () => {
    postgres = await startTestPostgres(programs!);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((kv) => kv.close()));
    for (const other of others.splice(0).reverse()) await other.remove();
  });
  afterAll(async () => {
    await postgres?.remove();
  });
  const open = async (address: string, clock = systemClock): Promise<Kv> => {
    const kv = await openPostgresKv({ target: targetOf(address), clock });
    opened.push(kv);
    return kv;
  };

  test("results are linearizable and watches have no gap while it is killed again and again", async () => {
    const address = makeDatabase(postgres).address();
    const stores = [await open(address), await open(address)];
    const abort = new AbortController();
    const watchers = stores.map((kv) => follow(kv, "", 0n, abort.signal));
    let done = false;
    const killing = (async () => {
      for (let round = 0; !done && round < (isLong ? 200 : 4); round += 1) {
        await delay(30 * (1 + (round % 7)));
        await postgres.kill();
        await postgres.start();
      }
    })();
    const histories = await Promise.all(
      [1, 2, 3].map((seed) => recordHistory(stores, `key${seed}`, { clients: 4, steps: isLong ? 40 : 15, seed })),
    );
    done = true;
    await killing;
    for (const history of histories) expect(isLinearizable(history)).toBe(true);
    const newest = await stores[0]!.put("last", bytes("x"), 0n);
    await Promise.all(watchers.map((watcher) => watcher.until(newest)));
    abort.abort();
    expect(watchers[0]!.changes).toEqual(watchers[1]!.changes);
    expect(watchers[0]!.changes).toEqual(await collect(stores[1]!, "", 0n, watchers[0]!.changes.length));
  });

  test("a write whose answer is lost is asked about, and one that never arrived is sent again: each happens once", async () => {
    const address = makeDatabase(postgres).address();
    const proxy = await startTestProxy(address);
    const kv = await open(address.replace(String(postgres.port), new URL(proxy.endpoint).port));
    const other = await open(address);
    let revision = await kv.put("counter", bytes("0"), 0n);
    for (let step = 1; step <= (isLong ? 200 : 12); step += 1) {
      proxy.losingAnswers = step % 3 !== 0;
      proxy.holdingRequests = step % 3 === 0;
      const writing = kv.put("counter", bytes(`${step}`), revision);
      if (proxy.losingAnswers)
        await expect.poll(async () => (await other.get("counter"))!.revision).toBeGreaterThan(revision);
      proxy.cut();
      proxy.losingAnswers = proxy.holdingRequests = false;
      const written = await writing;
      expect(written).toBe(revision + 1n);
      expect(await other.get("counter")).toMatchObject({ revision: written, value: bytes(`${step}`) });
      revision = written;
    }
    await proxy.close();
  });

  test("a write is unknown where the database cannot be asked any more", async () => {
    const address = makeDatabase(postgres).address();
    const proxy = await startTestProxy(address);
    // Each look at this clock takes half a second while the database is away, and none before: the machine may be busy.
    let awayMs = 0;
    const clock = {
      ...systemClock,
      monotonic() {
        if (proxy.refusing) awayMs += 500;
        return systemClock.monotonic() + awayMs;
      },
    };
    const kv = await open(address.replace(String(postgres.port), new URL(proxy.endpoint).port), clock);
    const other = await open(address);
    const revision = await kv.put("key", bytes("1"), 0n);
    proxy.losingAnswers = proxy.refusing = true;
    const writing = kv.put("key", bytes("2"), revision).catch((error: unknown) => error);
    await expect.poll(async () => (await other.get("key"))!.revision).toBeGreaterThan(revision);
    proxy.cut();
    expect(await writing).toBeInstanceOf(OutcomeUnknown);
    await expect(kv.get("key")).rejects.toMatchObject({ code: "unavailable" });
    proxy.losingAnswers = proxy.refusing = false;
    expect(await kv.put("key", bytes("3"), revision + 1n)).toBe(revision + 2n);
    await proxy.close();
  });

  test("a read whose answer a write of its own process overtakes is no loss", async () => {
    const address = makeDatabase(postgres).address();
    const proxy = await startTestProxy(address);
    const errors: string[] = [];
    const kv = await openPostgresKv({
      target: targetOf(address.replace(String(postgres.port), new URL(proxy.endpoint).port)),
      log: { debug() {}, info() {}, warn() {}, error: (message) => void errors.push(message) },
    });
    opened.push(kv);
    const before = await kv.put("key", bytes("1"), 0n);
    const answered = proxy.holdAnswersTo(".compaction c");
    const reading = kv.revision();
    await answered;
    const after = await kv.put("key", bytes("2"), before);
    proxy.releaseAnswers();
    expect(await reading).toBe(before);
    expect(errors).toEqual([]);
    expect(await kv.revision()).toBe(after);
    await proxy.close();
  });

  test("a failover to a synchronous replica keeps every acknowledged write, and nobody has to be told", async () => {
    const primary = await startTestPostgres(programs!, {
      settings: ["synchronous_standby_names = 'replica'", "synchronous_commit = on", "wal_level = replica"],
    });
    others.push(primary);
    const replica = await startTestPostgres(programs!, {
      follows: primary,
      settings: ["synchronous_standby_names = ''"], // nobody follows it after the failover
    });
    others.push(replica);
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${replica.port}`;
    const kv = await open(`postgres://admin@${hosts}/postgres`);
    const abort = new AbortController();
    const watcher = follow(kv, "", 0n, abort.signal);
    const acknowledged = new Map<string, bigint>();
    let done = false;
    const writing = (async () => {
      for (let step = 0; !done; step += 1) {
        const revision = await kv.put(`key${step}`, bytes(`${step}`), 0n).catch((error: unknown) => {
          if (error instanceof KvClosed) done = true;
          return undefined;
        });
        if (revision !== undefined) acknowledged.set(`key${step}`, revision);
      }
    })();
    await expect.poll(() => acknowledged.size).toBeGreaterThan(20);
    await primary.kill();
    replica.promote();
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 5);
    done = true;
    await writing;
    const { entries } = await kv.range("key");
    const held = new Map(entries.map(({ key, revision }) => [key, revision]));
    for (const [key, revision] of acknowledged) expect(held.get(key)).toBe(revision);
    await watcher.until(await kv.revision());
    abort.abort();
  });

  test("a failover that lost writes is noticed: no revision is used twice, and watches begin again", async () => {
    const primary = await startTestPostgres(programs!);
    others.push(primary);
    const replica = await startTestPostgres(programs!, { follows: primary });
    others.push(replica);
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${replica.port}`;
    const errors: string[] = [];
    const kv = await openPostgresKv({
      target: targetOf(`postgres://admin@${hosts}/postgres`),
      log: { debug() {}, info() {}, warn() {}, error: (message) => void errors.push(message) },
    });
    opened.push(kv);
    const kept = await kv.put("kept", bytes("1"), 0n);
    await expect.poll(() => replica.sql("SELECT count(*) FROM orch.log")).toBe("1");
    replica.stopFollowing();
    await expect.poll(() => primary.sql("SELECT count(*) FROM pg_stat_replication")).toBe("0");
    const lost = await kv.put("lost", bytes("1"), 0n);
    const watching = collect(kv, "", lost, 1).catch((error: unknown) => error);
    await primary.kill();
    replica.promote();
    expect(await watching).toBeInstanceOf(RevisionCompacted);
    expect(await kv.get("lost")).toBeUndefined();
    expect((await kv.get("kept"))!.revision).toBe(kept);
    expect(await kv.put("next", bytes("1"), 0n)).toBeGreaterThan(lost);
    expect(errors.join()).toMatch(/lost writes/);
  });

  test("a user that may not make the schema is told what to grant, and one that may only read what is missing", async () => {
    const database = makeDatabase(postgres);
    postgres.sql("CREATE ROLE poor LOGIN", database.name);
    await expect(open(database.address("poor"))).rejects.toThrow(
      /may not make the schema "orch".*GRANT CREATE ON DATABASE/,
    );
    await open(database.address());
    postgres.sql(
      "GRANT USAGE ON SCHEMA orch TO poor; GRANT SELECT ON ALL TABLES IN SCHEMA orch TO poor",
      database.name,
    );
    await expect(open(database.address("poor"))).rejects.toThrow(
      /may not read and write all tables of the schema "orch"/,
    );
    postgres.sql("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA orch TO poor", database.name);
    const kv = await open(database.address("poor"));
    expect(await kv.put("key", bytes("1"), 0n)).toBe(1n);
  });

  test("what cannot be reached or is refused is named, without the password", async () => {
    const address = postgres.address().replace("admin@", "admin:s3cret@");
    const target = targetOf(address.replace(String(postgres.port), "1"));
    const nowhere = await openPostgresKv({ target, requestTimeoutMs: 500 }).catch((error: Error) => error);
    expect(String(nowhere)).toMatch(
      /PostgreSQL cannot be reached at 127.0.0.1:1 \(database postgres\): .*ECONNREFUSED/,
    );
    const absent = await open(`${address}_not_there`).catch((error: Error) => error);
    expect(String(absent)).toMatch(/database "postgres_not_there" does not exist/);
    expect(String(nowhere) + String(absent)).not.toContain("s3cret");
  });

  test("compaction leaves one row for each key, however often it was written", async () => {
    const database = makeDatabase(postgres);
    const kv = await open(database.address());
    let revision = 0n;
    for (let step = 0; step < 1_200; step += 60)
      for (const at of await Promise.all(Array.from({ length: 60 }, (_, key) => rewrite(kv, `key${key}`, `${step}`))))
        revision = at > revision ? at : revision;
    for (let key = 0; key < 30; key += 1) await kv.delete(`key${key}`, (await kv.get(`key${key}`))!.revision);
    await kv.compact(await kv.revision());
    expect(postgres.sql("SELECT count(*) FROM orch.log", database.name)).toBe("30");
    expect((await kv.range("")).entries.map(({ value }) => text(value))).toEqual(
      Array.from({ length: 30 }, () => "1140"),
    );
  });

  test("writes of one turn share a commit, each with an outcome of its own", async () => {
    const database = makeDatabase(postgres);
    const kv = await open(database.address());
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 100 }, (_, key) => kv.put(`key${key}`, bytes("x"), 0n)),
      kv.put("key7", bytes("y"), 0n),
      kv.delete("absent", 3n),
    ]);
    expect(outcomes.slice(0, 100).map((outcome) => outcome.status === "fulfilled" && outcome.value)).toEqual(
      Array.from({ length: 100 }, (_, key) => BigInt(key + 1)),
    );
    for (const refused of outcomes.slice(100))
      expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(RevisionConflict);
    const revisions = postgres.sql("SELECT count(DISTINCT xmin::text) FROM orch.log", database.name);
    expect(Number(revisions)).toBe(1);
  });

  test("a commit carries a limited number of writes and bytes, and the rest follows in order", async () => {
    const database = makeDatabase(postgres);
    const kv = await open(database.address());
    const commits = () => Number(postgres.sql("SELECT count(DISTINCT xmin::text) FROM orch.log", database.name));
    const many = Array.from({ length: batchWritesMax + 1 }, (_, at) => kv.put(`many${at}`, bytes("x"), 0n));
    expect(await Promise.all(many)).toEqual(many.map((_, at) => BigInt(at + 1)));
    expect(commits()).toBe(2);
    const large = new Uint8Array(batchBytesMax / 4 + 1);
    await Promise.all([1, 2, 3, 4].map((at) => kv.put(`large${at}`, large, 0n)));
    expect(commits()).toBe(4);
  });
});

async function rewrite(kv: Kv, key: string, value: string): Promise<bigint> {
  return await kv.put(key, bytes(value), (await kv.get(key))?.revision ?? 0n);
}
