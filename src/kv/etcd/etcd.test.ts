import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { MessageWriter } from "../../base/protobuf-message.ts";
import { describeKv } from "../contract.suite.ts";
import { type Kv, OutcomeUnknown, RevisionCompacted, RevisionConflict } from "../contract.ts";
import { bytes, collect, follow, text } from "../follow.suite.ts";
import { recordHistory } from "../histories.suite.ts";
import { isLinearizable } from "../linearizable.suite.ts";
import { allChanges, describeNoted } from "../noted.suite.ts";
import { startTestProxy } from "../proxy.fixture.ts";
import { makeTestCertificates, readPem } from "./certificates.fixture.ts";
import { EtcdConnection, parseEndpoint } from "./connection.ts";
import { type EtcdKvOptions, openEtcdKv } from "./etcd.ts";
import { findEtcd, startTestEtcd } from "./server.fixture.ts";
import { streamWatch } from "./watch-stream.ts";

const program = findEtcd();

describe.skipIf(program === undefined)("with a real etcd", async () => {
  if (program === undefined) return;
  const etcd = await startTestEtcd(program);
  afterAll(() => etcd.remove());
  let counter = 0;
  const newPrefix = (): string => `/test${++counter}`;
  const open = (options: Partial<EtcdKvOptions> = {}): Promise<Kv> =>
    openEtcdKv({ endpoints: [etcd.endpoint], prefix: newPrefix(), allowPlaintext: true, ...options });

  describeKv(
    "etcd",
    async () => {
      const prefix = newPrefix();
      return { open: () => open({ prefix }), remove: async () => {} };
    },
    { runs: 40 },
  );

  describeNoted("etcd", () => {
    const prefix = newPrefix();
    // The time of day stands still; connections go on as they do.
    const timed = (clock: Clock): Clock => ({ ...systemClock, now: () => clock.now() });
    return { open: (noted, clock) => open({ prefix, noted, clock: timed(clock) }), isDurable: true, keepsAll: true };
  });

  describe("the history of several servers", () => {
    const day = { ageMs: 86_400_000, bytesMax: 1e9 };
    const notesOf = async (kv: Kv) => (await allChanges(kv.history!()!)).map(({ note }) => text(note));

    test("is one: each sees at once what the others have written, and a restart continues it", async () => {
      const prefix = newPrefix();
      const [a, b] = [await open({ prefix, noted: day }), await open({ prefix, noted: day })];
      const first = await a.put("/a", bytes("1"), 0n, bytes("of a"));
      expect(await notesOf(b)).toEqual(["of a"]);
      const second = await b.put("/a", bytes("2"), first, bytes("of b"));
      expect(await notesOf(a)).toEqual(["of b", "of a"]);
      await Promise.all([a.close(), b.close()]);
      const again = await open({ prefix, noted: day });
      expect(await notesOf(again)).toEqual(["of b", "of a"]);
      const [last] = await allChanges(again.history!()!);
      expect(text((await again.history!()!.stateBefore(last!))!.value)).toBe("1");
      expect(last?.previous).toBe(first);
      expect(last?.revision).toBe(second);
      await again.close();
    });

    test("is kept from compaction by every server on the etcd, also by one that keeps none", async () => {
      const prefix = newPrefix();
      const [keeper, other] = [await open({ prefix, noted: day }), await open({ prefix })];
      const first = await keeper.put("/a", bytes("1"), 0n, bytes("n"));
      const second = await keeper.put("/a", bytes("2"), first, bytes("n"));
      for (const kv of [other, keeper]) await kv.compact(second);
      expect((await keeper.range("", { revision: first })).entries.map(({ value }) => text(value))).toEqual(["1"]);
      expect(other.history?.()).toBeUndefined();
      // Whoever rewrites all with another key ends it without keeping one.
      await other.forgetHistory!();
      await keeper.close();
      const again = await open({ prefix, noted: day });
      expect(await notesOf(again)).toEqual([]);
      await again.compact(second);
      await expect(again.range("", { revision: first })).rejects.toBeInstanceOf(RevisionCompacted);
      await Promise.all([again.close(), other.close()]);
    });

    test("begins later where another program has compacted etcd", async () => {
      const prefix = newPrefix();
      const kv = await open({ prefix, noted: day });
      const first = await kv.put("/a", bytes("1"), 0n, bytes("one"));
      const second = await kv.put("/a", bytes("2"), first, bytes("two"));
      await kv.put("/a", bytes("3"), second, bytes("three"));
      const foreign = await open();
      await foreign.compact(second);
      await Promise.all([kv.close(), foreign.close()]);
      const again = await open({ prefix, noted: day });
      await expect.poll(() => notesOf(again)).toEqual(["three"]);
      expect(again.history!()!.oldest.revision).toBe(second);
      await again.close();
    });

    test("writes of one commit share a revision, and stay together in every page", async () => {
      const kv = await open({ noted: day });
      const writes = (from: number) =>
        Array.from({ length: 100 }, (_, at) => ({
          key: `/core/pods/a/${from + at}`,
          expected: 0n,
          value: bytes("x"),
          note: bytes(`${from + at}`),
        }));
      for (let at = 0; at < 25; at += 1) await kv.commit(writes(at * 100));
      for (const query of [{}, { upward: true }, { folder: "a" }] as const) {
        const seen: string[] = [];
        for await (const page of kv.history!()!.changes(query)) {
          expect(page.length % 100).toBe(0);
          seen.push(...page.map(({ note }) => text(note)));
        }
        const all = Array.from({ length: 2_500 }, (_, at) => `${at}`);
        expect(seen).toEqual("upward" in query ? all : all.toReversed());
      }
      const [last] = await allChanges(kv.history!()!);
      expect(last).toMatchObject({ place: 99, previous: 0n, deleted: false });
      await kv.close();
    });
  });

  test("stores that share an etcd and differ in prefix do not see each other, also when one begins with the other", async () => {
    const [a, b] = [await open({ prefix: "/shared" }), await open({ prefix: "/shared2" })];
    const since = await a.put("key", bytes("a"), 0n);
    await b.put("key", bytes("b"), 0n);
    expect((await a.range("")).entries.map((entry) => entry.value)).toEqual([bytes("a")]);
    await a.put("other", bytes("a"), 0n);
    expect((await collect(a, "", since, 1)).map((change) => change.key)).toEqual(["other"]);
    await Promise.all([a.close(), b.close()]);
  });

  test("a watch reaches the requested revision, even if another program wrote it", async () => {
    const [kv, foreign] = [await open(), await open()];
    const abort = new AbortController();
    const watcher = follow(kv, "", await kv.revision(), abort.signal);
    await foreign.put("beside", bytes("x"), 0n);
    const revision = await kv.revision();
    await watcher.until(revision);
    expect(watcher.changes).toEqual([]);
    expect((await kv.range("")).entries).toEqual([]);
    abort.abort();
    await watcher.ended;
    await Promise.all([kv.close(), foreign.close()]);
  });

  test("a large value and a range of many pages arrive whole", async () => {
    const kv = await open();
    const count = 6_000;
    for (let from = 0; from < count; from += 500) {
      const keys = Array.from({ length: 500 }, (_, index) => `k${String(from + index).padStart(5, "0")}`);
      await Promise.all(keys.map((key) => kv.put(key, new Uint8Array(1_000), 0n)));
    }
    const { entries, remaining } = await kv.range("");
    expect(entries).toHaveLength(count);
    expect(remaining).toBe(0);
    expect(new Set(entries.map((entry) => entry.key)).size).toBe(count);
    expect(await kv.range("", { limit: 5_500 })).toMatchObject({ remaining: 500 });
    await kv.close();
  });

  test("the outcome of a write whose answer was lost is determined: it happened once, and its revision is known", async () => {
    const [proxy, prefix] = [await startTestProxy(etcd.endpoint), newPrefix()];
    const kv = await open({ endpoints: [proxy.endpoint], prefix });
    const other = await open({ prefix });
    await kv.put("warm", bytes("x"), 0n); // the connection and the slots are there
    const loseAnswerOf = async (write: () => Promise<bigint>): Promise<bigint> => {
      const before = await other.revision();
      proxy.losingAnswers = true;
      const result = write();
      while ((await other.revision()) === before) await new Promise((resolve) => setTimeout(resolve, 2));
      proxy.cut();
      proxy.losingAnswers = false;
      return result;
    };
    const created = await loseAnswerOf(() => kv.put("key", bytes("1"), 0n));
    expect(await other.get("key")).toEqual({ key: "key", value: bytes("1"), revision: created, created });
    const updated = await loseAnswerOf(() => kv.put("key", bytes("2"), created));
    expect((await other.get("key"))?.revision).toBe(updated);
    const removed = await loseAnswerOf(() => kv.delete("key", updated));
    expect(await other.get("key")).toBeUndefined();
    expect(removed).toBeGreaterThan(updated);
    const seen = await collect(other, "key", created - 1n, 3);
    expect(seen.map((change) => change.revision)).toEqual([created, updated, removed]);
    await Promise.all([kv.close(), other.close()]);
    await proxy.close();
  });

  test("a write that did not arrive is sent again, and equal bytes of another writer are not mistaken for it", async () => {
    const [proxy, prefix] = [await startTestProxy(etcd.endpoint), newPrefix()];
    const kv = await open({ endpoints: [proxy.endpoint], prefix });
    const other = await open({ prefix });
    const first = await kv.put("key", bytes("1"), 0n);
    const holdRequest = async (write: () => Promise<bigint>, meanwhile: () => Promise<unknown>): Promise<bigint> => {
      const before = proxy.sent;
      proxy.holdingRequests = true;
      const result = write();
      result.catch(() => {});
      while (proxy.sent === before) await new Promise((resolve) => setTimeout(resolve, 2));
      await meanwhile();
      proxy.cut();
      proxy.holdingRequests = false;
      return result;
    };
    const second = await holdRequest(
      () => kv.put("key", bytes("2"), first),
      async () => {},
    );
    expect(await other.get("key")).toMatchObject({ value: bytes("2"), revision: second });
    // The twin writes the very same bytes onto the same revision: only one of the two may succeed.
    let twin = 0n;
    const outcome = holdRequest(
      () => kv.put("key", bytes("3"), second),
      async () => {
        twin = await other.put("key", bytes("3"), second);
      },
    );
    await expect(outcome).rejects.toBeInstanceOf(RevisionConflict);
    await expect(outcome).rejects.toMatchObject({ revision: twin });
    // Absent, and absent again: a create and a delete by others lie in between.
    const again = await holdRequest(
      () => kv.put("new", bytes("mine"), 0n),
      async () => other.delete("new", await other.put("new", bytes("mine"), 0n)),
    );
    expect((await other.get("new"))?.revision).toBe(again);
    await Promise.all([kv.close(), other.close()]);
    await proxy.close();
  });

  test("an outcome that cannot be determined is reported as unknown, and reads as unavailable", async () => {
    const proxy = await startTestProxy(etcd.endpoint);
    const kv = await open({ endpoints: [proxy.endpoint], requestTimeoutMs: 700 });
    await kv.put("warm", bytes("x"), 0n);
    proxy.losingAnswers = true;
    await expect(kv.put("key", bytes("1"), 0n)).rejects.toBeInstanceOf(OutcomeUnknown);
    proxy.refusing = true;
    proxy.cut();
    await expect(kv.get("key")).rejects.toMatchObject({ code: "unavailable" });
    proxy.refusing = false;
    proxy.losingAnswers = false;
    await expect.poll(() => kv.get("warm").catch(() => undefined)).toBeDefined();
    await kv.close();
    await proxy.close();
  });

  test("the results of clients over an unreliable connection are linearizable", async () => {
    const [proxy, prefix] = [await startTestProxy(etcd.endpoint), newPrefix()];
    const kv = await open({ endpoints: [proxy.endpoint], prefix, requestTimeoutMs: 800 });
    let broken = 0;
    const breaking = setInterval(() => {
      // Each kind of break in turn: nothing passes, the line is cut, the answer is lost, the line is cut, all is well.
      broken += 1;
      proxy.holdingRequests = broken % 8 === 0;
      proxy.losingAnswers = broken % 8 === 2;
      if (broken % 8 === 1 || broken % 8 === 3) proxy.cut();
    }, 10);
    for (let round = 0; broken < 100; round += 1) {
      const history = await recordHistory(kv, `key${round}`, { clients: 4, steps: 12, seed: round });
      expect(isLinearizable(history)).toBe(true);
    }
    clearInterval(breaking);
    await proxy.close();
    await kv.close();
  });

  test("a watch continues without a gap or a repetition when the connection breaks repeatedly", async () => {
    const [proxy, prefix] = [await startTestProxy(etcd.endpoint), newPrefix()];
    const kv = await open({ endpoints: [proxy.endpoint], prefix });
    const writer = await open({ prefix });
    const abort = new AbortController();
    const watcher = follow(kv, "", await writer.revision(), abort.signal);
    const written: bigint[] = [];
    for (let index = 0; index < 60; index += 1) {
      written.push(await writer.put(`key${index}`, bytes("x"), 0n));
      if (index % 10 === 5) proxy.cut();
    }
    await watcher.until(written.at(-1)!);
    abort.abort();
    await watcher.ended;
    expect(watcher.changes.map((change) => change.revision)).toEqual(written);
    await Promise.all([kv.close(), writer.close()]);
    await proxy.close();
  });

  test("a watch whose revision was compacted while the connection was down ends as compacted, and a new one works", async () => {
    const [proxy, prefix] = [await startTestProxy(etcd.endpoint), newPrefix()];
    const kv = await open({ endpoints: [proxy.endpoint], prefix });
    const writer = await open({ prefix });
    const since = await writer.put("a", bytes("1"), 0n);
    const watcher = follow(kv, "", since, new AbortController().signal);
    await watcher.until(await writer.put("b", bytes("1"), 0n));
    proxy.refusing = true;
    proxy.cut();
    await writer.put("c", bytes("1"), 0n);
    const compacted = await writer.put("d", bytes("1"), 0n);
    await writer.compact(compacted);
    proxy.refusing = false;
    await expect(watcher.ended).rejects.toBeInstanceOf(RevisionCompacted);
    const later = await writer.put("e", bytes("1"), 0n);
    expect((await collect(kv, "", compacted, 1)).map((change) => change.revision)).toEqual([later]);
    await Promise.all([kv.close(), writer.close()]);
    await proxy.close();
  });

  test("another endpoint takes over when one goes away or hangs", async () => {
    const [one, two] = [await startTestProxy(etcd.endpoint), await startTestProxy(etcd.endpoint)];
    const kv = await open({ endpoints: [one.endpoint, two.endpoint], requestTimeoutMs: 3_000 });
    const first = await kv.put("key", bytes("1"), 0n);
    const abort = new AbortController();
    const watcher = follow(kv, "", first, abort.signal);
    one.refusing = true;
    one.cut();
    const second = await kv.put("key", bytes("2"), first);
    await watcher.until(second);
    one.refusing = false;
    two.holdingRequests = true; // it hangs: nothing is refused, nothing is answered
    const third = await kv.put("key", bytes("3"), second);
    expect((await kv.get("key"))?.revision).toBe(third);
    abort.abort();
    await watcher.ended;
    expect(watcher.changes[0]?.revision).toBe(second);
    await kv.close();
    await Promise.all([one.close(), two.close()]);
  });

  test("a watch that ends because we asked is no reason to go to another endpoint", async () => {
    const warnings: string[] = [];
    const connection = new EtcdConnection({
      endpoints: [etcd.endpoint, "http://127.0.0.1:1"],
      allowPlaintext: true,
      dialTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
      clock: systemClock,
      log: { ...silentLog, warn: (message) => void warnings.push(message) },
    });
    const create = { key: Buffer.from("/asked"), startRevision: 1n };
    const ended = await streamWatch(connection, create, new AbortController().signal, () => "enough");
    await new Promise((resolve) => setTimeout(resolve, 100)); // the cancelled stream reports an error
    expect([ended, warnings]).toEqual([{ how: "asked" }, []]);
    connection.close();
  });

  test("requests wait and watches continue when etcd is killed and restarted", async () => {
    const own = await startTestEtcd(program);
    const kv = await open({ endpoints: [own.endpoint], requestTimeoutMs: 15_000 });
    const first = await kv.put("key", bytes("1"), 0n);
    const abort = new AbortController();
    const watcher = follow(kv, "", first, abort.signal);
    const second = await kv.put("key", bytes("2"), first);
    await watcher.until(second);
    await own.kill();
    const third = kv.put("key", bytes("3"), second);
    await own.start();
    await watcher.until(await third);
    abort.abort();
    await watcher.ended;
    expect(watcher.changes.map((change) => change.revision)).toEqual([second, await third]);
    own.pause();
    const slow = kv.get("key");
    setTimeout(() => own.resume(), 200);
    expect((await slow)?.revision).toBe(await third);
    await kv.close();
    await own.remove();
  });

  test("connects over TLS with a client certificate; a foreign authority, another name and plain text are refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "etcd-tls-"));
    const { ca, server, client } = makeTestCertificates(folder);
    const own = await startTestEtcd(program, { tls: { ca, ...server } });
    const tls = { ca: readPem(ca), cert: readPem(client.cert), key: readPem(client.key) };
    const kv = await openEtcdKv({ endpoints: [own.endpoint], tls });
    const revision = await kv.put("key", bytes("1"), 0n);
    expect((await kv.get("key"))?.revision).toBe(revision);
    await kv.close();
    const foreign = mkdtempSync(join(tmpdir(), "etcd-tls-"));
    const other = makeTestCertificates(foreign);
    const refused = { code: "unavailable", message: expect.stringContaining(own.endpoint) };
    const dialTimeoutMs = 500;
    for (const wrong of [{ ...tls, ca: readPem(other.ca) }, { ca: tls.ca }]) {
      await expect(openEtcdKv({ endpoints: [own.endpoint], tls: wrong, dialTimeoutMs })).rejects.toMatchObject(refused);
    }
    for (const host of ["127.0.0.2", "localhost"]) {
      const elsewhere = await startTestProxy(own.endpoint, host);
      await expect(openEtcdKv({ endpoints: [elsewhere.endpoint], tls, dialTimeoutMs }), host).rejects.toThrow(
        /does not match certificate/,
      );
      await elsewhere.close();
    }
    await expect(openEtcdKv({ endpoints: [etcd.endpoint] })).rejects.toThrow(/is not encrypted: use https/);
    await own.remove();
    for (const made of [folder, foreign]) rmSync(made, { recursive: true, force: true });
  });

  test("logs in with a name and a password, and again when etcd has dropped the login", async () => {
    const own = await startTestEtcd(program);
    const admin = new EtcdConnection({
      endpoints: [own.endpoint],
      allowPlaintext: true,
      dialTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
      clock: systemClock,
      log: silentLog,
    });
    const auth = (method: string, ...texts: string[]): Promise<Buffer> => {
      const request = new MessageWriter();
      for (const [index, content] of texts.entries()) request.text(index + 1, content);
      return admin.repeat(`/etcdserverpb.Auth/${method}`, request);
    };
    await auth("UserAdd", "root", "secret");
    await auth("RoleAdd", "root");
    await auth("UserGrantRole", "root", "root");
    await auth("AuthEnable");
    admin.close();
    const dialTimeoutMs = 2_000;
    await expect(open({ endpoints: [own.endpoint], dialTimeoutMs })).rejects.toMatchObject({ code: "unavailable" });
    const wrong = { username: "root", password: "wrong", dialTimeoutMs };
    await expect(open({ endpoints: [own.endpoint], ...wrong })).rejects.toMatchObject({ code: "unavailable" });
    const kv = await open({ endpoints: [own.endpoint], username: "root", password: "secret" });
    const first = await kv.put("key", bytes("1"), 0n);
    await own.kill(); // simple tokens live in memory
    await own.start();
    const second = await kv.put("key", bytes("2"), first);
    expect((await collect(kv, "", first, 1))[0]?.revision).toBe(second);
    await kv.close();
    await own.remove();
  });
});

test("an endpoint is a URL with a host and perhaps a port", () => {
  expect(parseEndpoint("https://etcd.example:443")).toEqual({
    host: "etcd.example",
    port: 443,
    secure: true,
  });
  expect(parseEndpoint("https://etcd.example")).toEqual({
    host: "etcd.example",
    port: 2379,
    secure: true,
  });
  expect(parseEndpoint("http://[::1]:2379/")).toEqual({ host: "::1", port: 2379, secure: false });
  for (const wrong of ["etcd:2379", "", "ftp://etcd", "https://", "https://etcd/path", "https://user@etcd"]) {
    expect(() => parseEndpoint(wrong), wrong).toThrow(/must be https|is not a URL/);
  }
});

test("an unreachable etcd is named when opening fails", async () => {
  const endpoints = ["https://127.0.0.1:1"];
  await expect(openEtcdKv({ endpoints, dialTimeoutMs: 300 })).rejects.toThrow(
    /cannot be reached at https:\/\/127.0.0.1:1: .*; start it, or name its servers with --etcd-servers$/,
  );
  await expect(openEtcdKv({ endpoints: [] })).rejects.toThrow(/at least one endpoint/);
});
