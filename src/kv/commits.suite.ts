/** The part of the contract suite that is about writes which happen together. */

import { expect } from "vitest";
import type { KvSuiteTest } from "./contract.suite.ts";
import { commitBytesMax, commitWritesMax, type Kv, type KvWrite, RevisionConflict } from "./contract.ts";
import { bytes, collect, text } from "./follow.suite.ts";

export function describeCommits(store: () => Kv, scope: () => string, it: KvSuiteTest): void {
  it("whole", "writes of one commit all happen, in their order, and a watch shows them", async () => {
    const kv = store();
    const prefix = scope();
    const old = await kv.put(`${prefix}old`, bytes("1"), 0n);
    const gone = await kv.put(`${prefix}gone`, bytes("1"), 0n);
    const kept = await kv.put(`${prefix}kept`, bytes("1"), 0n);
    const revisions = await kv.commit([
      { key: `${prefix}new`, expected: 0n, value: bytes("a") },
      { key: `${prefix}old`, expected: old, value: bytes("2") },
      { key: `${prefix}gone`, expected: gone },
      { key: `${prefix}kept`, expected: kept, keeps: true },
      { key: `${prefix}none`, expected: 0n, keeps: true },
    ]);
    expect(revisions).toHaveLength(5);
    const [first, second, third] = revisions;
    expect(first).toBeGreaterThan(kept);
    const isOne = first === second;
    expect([second, third]).toEqual(isOne ? [first, first] : [first! + 1n, first! + 2n]);
    expect(revisions.slice(3)).toEqual([kept, 0n]);
    expect(await kv.revision()).toBeGreaterThanOrEqual(third!);
    const { entries } = await kv.range(prefix);
    expect(entries.map(({ key, value }) => [key.slice(prefix.length), text(value)])).toEqual([
      ["kept", "1"],
      ["new", "a"],
      ["old", "2"],
    ]);
    expect(await kv.get(`${prefix}new`)).toMatchObject({ revision: first, created: first });
    expect(await kv.get(`${prefix}old`)).toMatchObject({ revision: second, created: old });
    const seen = await collect(kv, prefix, kept, 3);
    expect(seen.map(({ key, revision }) => [key.slice(prefix.length), revision])).toEqual([
      ["new", first],
      ["old", second],
      ["gone", third],
    ]);
    expect(await kv.put(`${prefix}old`, bytes("3"), second!)).toBeGreaterThan(third!);
  });

  it("whole", "if one key is elsewhere, none is written, and the conflict names it", async () => {
    const kv = store();
    const prefix = scope();
    const at = await kv.put(`${prefix}a`, bytes("1"), 0n);
    const good: KvWrite[] = [
      { key: `${prefix}new`, expected: 0n, value: bytes("x") },
      { key: `${prefix}a`, expected: at, value: bytes("2") },
    ];
    const bad: KvWrite[] = [
      { key: `${prefix}b`, expected: 7n, value: bytes("x") },
      { key: `${prefix}b`, expected: 7n, keeps: true },
      { key: `${prefix}b`, expected: 0n },
      { key: `${prefix}b`, expected: 7n },
    ];
    for (const wrong of bad) {
      for (const writes of [
        [wrong, ...good],
        [...good, wrong],
      ]) {
        const error = await kv.commit(writes).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(RevisionConflict);
        expect((error as RevisionConflict).key).toBe(`${prefix}b`);
      }
    }
    const stale = await kv
      .commit([good[0]!, { key: `${prefix}a`, expected: at - 1n }])
      .catch((caught: unknown) => caught);
    expect(stale).toMatchObject({ code: "conflict", key: `${prefix}a`, revision: at });
    expect((await kv.range(prefix)).entries.map(({ value }) => text(value))).toEqual(["1"]);
    await expect(collect(kv, prefix, at - 1n, 1)).resolves.toHaveLength(1);
  });

  it("whole", "of commits that meet, one wins each key, and a reader never sees a part", async () => {
    const kv = store();
    const prefix = scope();
    const keys = ["a", "b", "c"].map((name) => `${prefix}${name}`);
    let wins = 0;
    let isWriting = true;
    const write = async (writer: number) => {
      for (let round = 0; round < 8; round += 1) {
        const found = await Promise.all(keys.map((key) => kv.get(key)));
        // Two of three keys at a time, and the values of all three sum up to zero.
        const pair = [writer % 3, (writer + 1) % 3];
        const numbers = found.map((entry) => Number(entry === undefined ? 0 : text(entry.value)));
        const next = [numbers[pair[0]!]! + 1, numbers[pair[1]!]! - 1];
        const writes = pair.map((place, at) => ({
          key: keys[place]!,
          expected: found[place]?.revision ?? 0n,
          value: bytes(String(next[at])),
        }));
        await kv.commit(writes).then(
          () => {
            wins += 1;
          },
          (error: unknown) => expect(error).toBeInstanceOf(RevisionConflict),
        );
      }
    };
    const read = async () => {
      while (isWriting) {
        await new Promise((resolve) => setImmediate(resolve));
        const { entries } = await kv.range(prefix);
        expect(entries.reduce((sum, { value }) => sum + Number(text(value)), 0)).toBe(0);
      }
    };
    const reading = read();
    await Promise.all([0, 1, 2].map(write)).finally(() => {
      isWriting = false;
    });
    await reading;
    expect(wins).toBeGreaterThan(0);
  });

  it("limited", "a commit has a limit of writes and of bytes, and names no key twice", async () => {
    const kv = store();
    const prefix = scope();
    const many = (count: number, size: number): KvWrite[] =>
      Array.from({ length: count }, (_, at) => ({ key: `${prefix}${at}`, expected: 0n, value: new Uint8Array(size) }));
    await expect(kv.commit(many(commitWritesMax + 1, 1))).rejects.toMatchObject({ code: "too-large" });
    await expect(kv.commit(many(2, commitBytesMax / 2))).rejects.toMatchObject({ code: "too-large" });
    await expect(kv.commit([...many(1, 1), ...many(1, 1)])).rejects.toBeInstanceOf(TypeError);
    expect(await kv.commit([])).toEqual([]);
    expect((await kv.range(prefix)).entries).toEqual([]);
    expect(await kv.commit(many(commitWritesMax - 1, 8_000))).toHaveLength(commitWritesMax - 1);
    expect((await kv.range(prefix)).entries).toHaveLength(commitWritesMax - 1);
  });
}
