import { describe, expect, test } from "vitest";
import { describeKv } from "../contract.suite.ts";
import { RevisionCompacted } from "../contract.ts";
import { bytes, collect, follow } from "../follow.suite.ts";
import { describeNoted } from "../noted.suite.ts";
import { createMemoryKv } from "./memory.ts";

describeKv("memory", async () => ({ open: async () => createMemoryKv(), remove: async () => {} }), {
  except: { durable: "memory is forgotten when the process ends" },
  runs: 150,
});

describeNoted("memory", () => ({
  open: async (bounds, clock) => createMemoryKv({ noted: { bounds, clock } }),
  isDurable: false,
}));

describe("the memory store", () => {
  test("passes watchers the same array that was passed to put, before put resolves", async () => {
    const kv = createMemoryKv();
    const value = bytes("mine");
    const order: string[] = [];
    const watch = kv.watch("", 0n, new AbortController().signal)[Symbol.asyncIterator]();
    const next = watch.next().then((result) => {
      order.push("watch");
      expect(result.value.changes[0].value).toBe(value);
    });
    await kv.put("key", value, 0n).then(() => order.push("put"));
    await next;
    expect(order).toEqual(["watch", "put"]);
    expect((await kv.get("key"))?.value).toBe(value);
  });

  test("keeps as many changes as configured, and their states", async () => {
    const kv = createMemoryKv({ historyChangesMax: 10 });
    for (let index = 1; index <= 25; index += 1) await kv.put(`key${index}`, bytes(`${index}`), 0n);
    expect((await kv.range("", { revision: 15n })).entries).toHaveLength(15);
    expect(await collect(kv, "", 15n, 10)).toHaveLength(10);
    await expect(kv.range("", { revision: 14n })).rejects.toBeInstanceOf(RevisionCompacted);
    await expect(collect(kv, "", 14n, 1)).rejects.toMatchObject({ code: "compacted", oldest: 15n });
    expect((await kv.range("")).entries).toHaveLength(25);
  });

  test("a reader that falls behind by more than is kept ends as compacted", async () => {
    const kv = createMemoryKv({ historyChangesMax: 10 });
    const watch = kv.watch("", 0n, new AbortController().signal)[Symbol.asyncIterator]();
    await kv.put("first", bytes("x"), 0n);
    expect((await watch.next()).value.revision).toBe(1n);
    for (let index = 0; index < 12; index += 1) await kv.put(`key${index}`, bytes("x"), 0n);
    await expect(watch.next()).rejects.toBeInstanceOf(RevisionCompacted);
  });

  test("delivers a long history in chunks", async () => {
    const kv = createMemoryKv();
    for (let index = 0; index < 2_500; index += 1) await kv.put(`key${index}`, bytes("x"), 0n);
    const abort = new AbortController();
    const watcher = follow(kv, "", 0n, abort.signal);
    await watcher.until(2_500n);
    abort.abort();
    expect(watcher.changes).toHaveLength(2_500);
    expect(watcher.events.length).toBeGreaterThan(1);
  });

  test("a fork starts with the state of the original, and both are independent", async () => {
    const kv = createMemoryKv();
    const first = await kv.put("key", bytes("1"), 0n);
    const fork = kv.fork();
    await kv.put("key", bytes("original"), first);
    await fork.put("key", bytes("fork"), first);
    expect((await kv.get("key"))?.value).toEqual(bytes("original"));
    expect((await fork.get("key"))?.value).toEqual(bytes("fork"));
    await expect(collect(fork, "", 0n, 1)).rejects.toBeInstanceOf(RevisionCompacted);
    expect(await collect(fork, "", first, 1)).toHaveLength(1);
  });

  test("progress of a quiet watch is reported once per turn of the event loop, not once per write", async () => {
    const kv = createMemoryKv();
    const abort = new AbortController();
    const watcher = follow(kv, "quiet/", 0n, abort.signal);
    for (let index = 0; index < 500; index += 1) await kv.put(`loud/${index}`, bytes("x"), 0n);
    await watcher.until(500n);
    abort.abort();
    expect(watcher.events.length).toBeLessThan(50);
  });
});
