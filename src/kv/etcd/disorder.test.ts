/** What a network or a proxy does to messages that TCP alone would not: twice, late, and in another order. */

import { afterAll, describe, expect, test } from "vitest";
import { type Kv, RevisionCompacted, RevisionConflict } from "../contract.ts";
import { bytes, collect, follow } from "../follow.suite.ts";
import { openEtcdKv } from "./etcd.ts";
import { readTxnResponse } from "./messages.ts";
import { startTestRelay } from "./relay.fixture.ts";
import { findEtcd, startTestEtcd } from "./server.fixture.ts";

const program = findEtcd();
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(program === undefined)("behind a relay that is not faithful", async () => {
  if (program === undefined) return;
  const etcd = await startTestEtcd(program);
  const relay = await startTestRelay(etcd.endpoint);
  afterAll(async () => {
    await relay.close();
    await etcd.remove();
  });
  let counter = 0;
  const openTwo = async (requestTimeoutMs = 10_000): Promise<[Kv, Kv]> => {
    const options = { prefix: `/disorder${++counter}`, allowPlaintext: true, requestTimeoutMs };
    return [
      await openEtcdKv({ ...options, endpoints: [relay.endpoint] }),
      await openEtcdKv({ ...options, endpoints: [etcd.endpoint] }),
    ];
  };

  test("a write that reaches etcd twice happens once and is acknowledged with its revision", async () => {
    const [kv, other] = await openTwo();
    relay.doubling = true;
    const created = await kv.put("key", bytes("1"), 0n);
    const updated = await kv.put("key", bytes("2"), created);
    const removed = await kv.delete("key", updated);
    await expect(kv.put("key", bytes("3"), updated)).rejects.toBeInstanceOf(RevisionConflict);
    relay.doubling = false;
    const seen = await collect(other, "", created - 1n, 3);
    expect(seen.map(({ revision }) => revision)).toEqual([created, updated, removed]);
    expect(await other.get("key")).toBeUndefined();
    await Promise.all([kv.close(), other.close()]);
  });

  test("a write that was given up does not happen when its request arrives late", async () => {
    const [kv, other] = await openTwo(300);
    const first = await kv.put("key", bytes("1"), 0n);
    relay.holding = true;
    const write = kv.put("key", bytes("2"), first);
    write.catch(() => {}); // awaited below
    await expect.poll(() => relay.held).toBeGreaterThan(0);
    relay.holding = false; // the question for its outcome passes, and makes the request void
    await expect(write).rejects.toMatchObject({ code: "unavailable" });
    const now = await other.get("key");
    expect(now?.revision).toBe(first);
    const late = (await relay.deliverHeld()).map(readTxnResponse);
    expect(late.map(({ succeeded }) => succeeded)).not.toContain(true);
    expect(await other.get("key")).toEqual(now);
    await Promise.all([kv.close(), other.close()]);
  });

  test("a watch ends when a change arrives after a later one, and a new watch shows both", async () => {
    const [kv, writer] = await openTwo();
    const since = await writer.put("zero", bytes("1"), 0n);
    const watcher = follow(kv, "", since, new AbortController().signal);
    await watcher.until(await writer.put("one", bytes("1"), 0n));
    relay.gathering = true;
    await writer.put("two", bytes("1"), 0n);
    await expect.poll(() => relay.gathered).toBe(1);
    await writer.put("three", bytes("1"), 0n);
    await expect.poll(() => relay.gathered).toBe(2);
    relay.deliverReversed();
    // A cache that went on would not have "two" until its next change.
    await expect(watcher.ended).rejects.toBeInstanceOf(RevisionCompacted);
    const keys = (await collect(kv, "", since, 3)).map(({ key }) => key);
    expect(keys).toEqual(["one", "two", "three"]);
    await Promise.all([kv.close(), writer.close()]);
  });

  test("a read confirmed before a change reached the watch waits for the watch", async () => {
    const [kv, writer] = await openTwo();
    const watcher = follow(kv, "", await kv.revision(), new AbortController().signal);
    await watcher.until(await writer.put("one", bytes("1"), 0n));
    relay.gathering = true;
    const written = await writer.put("two", bytes("1"), 0n);
    // etcd confirms the revision at once, but the watch has not come to it and does not say that it has.
    expect(await kv.revision()).toBeGreaterThanOrEqual(written);
    await delay(100);
    expect(watcher.events.at(-1)!.revision).toBeLessThan(written);
    relay.deliverReversed();
    await watcher.until(written).catch(() => undefined);
    await Promise.all([kv.close(), writer.close()]);
  });
});
