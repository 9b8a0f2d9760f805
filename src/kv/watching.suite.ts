/** The part of the contract suite about watches: what they deliver, in which order, and how they resume. */

import { expect } from "vitest";
import type { KvSuiteTest } from "./contract.suite.ts";
import type { Kv, KvChange } from "./contract.ts";
import { bytes, collect, follow } from "./follow.suite.ts";

export function describeWatching(open: () => Kv, scope: () => string, it: KvSuiteTest): void {
  it("ordered", "a watch yields changes in revision order, a delete without a value", async () => {
    const prefix = scope();
    const kv = open();
    const since = await kv.revision();
    const a = await kv.put(`${prefix}a`, bytes("1"), 0n);
    const b = await kv.put(`${prefix}a`, bytes("2"), a);
    const c = await kv.delete(`${prefix}a`, b);
    const key = `${prefix}a`;
    const expected: KvChange[] = [
      { key, revision: a, value: bytes("1") },
      { key, revision: b, value: bytes("2") },
      { key, revision: c },
    ];
    expect(await collect(kv, prefix, since, 3)).toEqual(expected);
  });

  it("ordered", "the value of a recent write of this process is the array that was written", async () => {
    const prefix = scope();
    const kv = open();
    const abort = new AbortController();
    const watcher = follow(kv, prefix, await kv.revision(), abort.signal);
    const [put, committed] = [bytes("put"), bytes("committed")];
    await kv.put(`${prefix}a`, put, 0n);
    const [revision] = await kv.commit([{ key: `${prefix}b`, expected: 0n, value: committed }]);
    await watcher.until(revision!);
    abort.abort();
    await watcher.ended;
    const delivered = watcher.events.flatMap(({ changes }) => changes.map(({ value }) => value));
    expect(delivered.map((value) => [put, committed].indexOf(value!))).toEqual([0, 1]);
  });

  it("unique", "a watch yields every change exactly once, however many watch and wherever they start", async () => {
    const prefix = scope();
    const kv = open();
    const since = await kv.revision();
    const abort = new AbortController();
    const early = follow(kv, prefix, since, abort.signal);
    const written: bigint[] = [];
    for (let index = 0; index < 50; index += 1) written.push(await kv.put(`${prefix}${index}`, bytes("x"), 0n));
    const late = follow(kv, prefix, since, abort.signal);
    const middle = follow(kv, prefix, written[24]!, abort.signal);
    const reached = written.at(-1)!;
    await Promise.all([early.until(reached), late.until(reached), middle.until(reached)]);
    abort.abort();
    await Promise.all([early.ended, late.ended, middle.ended]);
    expect(early.changes.map((change) => change.revision)).toEqual(written);
    expect(late.changes.map((change) => change.revision)).toEqual(written);
    expect(middle.changes.map((change) => change.revision)).toEqual(written.slice(25));
  });

  it("reliable", "a watch misses no change of many concurrent writers, and gets none of other prefixes", async () => {
    const prefix = scope();
    const kv = open();
    const abort = new AbortController();
    const since = await kv.revision();
    const watcher = follow(kv, `${prefix}x`, since, abort.signal);
    const made: { key: string; revision: bigint }[] = [];
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        for (let step = 0; step < 10; step += 1) {
          const key = `${prefix}${writer % 2 === 0 ? "x" : "y"}${writer}/${step}`;
          const revision = await kv.put(key, bytes("1"), 0n);
          made.push({ key, revision });
          if (step % 3 === 0) made.push({ key, revision: await kv.delete(key, revision) });
        }
      }),
    );
    await watcher.until(await kv.revision());
    abort.abort();
    await watcher.ended;
    const expected = made
      .filter(({ key }) => key.startsWith(`${prefix}x`))
      .sort((a, b) => Number(a.revision - b.revision));
    expect(watcher.changes.map(({ key, revision }) => ({ key, revision }))).toEqual(expected);
  });

  it("reliable", "a watch that starts ahead of the store waits for later changes", async () => {
    const prefix = scope();
    const kv = open();
    const first = await kv.put(`${prefix}a`, bytes("1"), 0n);
    const abort = new AbortController();
    const watcher = follow(kv, prefix, first + 1n, abort.signal);
    const second = await kv.put(`${prefix}b`, bytes("1"), 0n);
    const third = await kv.put(`${prefix}c`, bytes("1"), 0n);
    await watcher.until(third);
    abort.abort();
    await watcher.ended;
    expect(watcher.changes.map((change) => change.revision)).toEqual([second, third].filter((r) => r > first + 1n));
  });

  it("resumable", "a watch continues exactly after any revision that it has delivered", async () => {
    const prefix = scope();
    const kv = open();
    const since = await kv.revision();
    const written: bigint[] = [];
    for (let index = 0; index < 12; index += 1) written.push(await kv.put(`${prefix}${index}`, bytes("x"), 0n));
    for (const [index, revision] of [since, ...written.slice(0, -1)].entries()) {
      const rest = await collect(kv, prefix, revision, written.length - index);
      expect(rest.map((change) => change.revision)).toEqual(written.slice(index));
    }
  });

  it("resumable", "an aborted watch ends without an error, also before it begins", async () => {
    const kv = open();
    const abort = new AbortController();
    const watcher = follow(kv, scope(), await kv.revision(), abort.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    await watcher.ended;
    for await (const _ of kv.watch(scope(), 0n, AbortSignal.abort())) throw new Error("nothing must come");
  });

  it("progressive", "a watch reports its progress when only other keys change", async () => {
    const prefix = scope();
    const kv = open();
    const abort = new AbortController();
    const watcher = follow(kv, `${prefix}quiet/`, await kv.revision(), abort.signal);
    const revision = await kv.put(`${prefix}loud`, bytes("x"), 0n);
    await watcher.until(revision);
    abort.abort();
    await watcher.ended;
    expect(watcher.changes).toEqual([]);
  });
}
