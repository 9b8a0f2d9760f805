/** The tests that every store passes, named after the promises of contract.ts. */

import { afterAll, beforeAll, describe, expect, type TestFunction, test } from "vitest";
import { describeCommits } from "./commits.suite.ts";
import {
  type Kv,
  KvClosed,
  KvError,
  keyBytesMax,
  RevisionCompacted,
  RevisionConflict,
  RevisionUnknown,
  valueBytesMax,
} from "./contract.ts";
import { bytes, collect, follow, text } from "./follow.suite.ts";
import { describeHistories } from "./histories.suite.ts";
import { describeModel } from "./model.suite.ts";
import { describeWatching } from "./watching.suite.ts";

/** Where a store lives. Opening it again after a close finds what was written; `remove` leaves nothing behind. */
export interface KvHome {
  open(): Promise<Kv>;
  remove(): Promise<void>;
}

const promises = [
  "durable",
  "atomic",
  "whole",
  "monotonic",
  "snapshot",
  "ordered",
  "unique",
  "reliable",
  "resumable",
  "progressive",
  "bounded",
  "limited",
] as const;
export type PromiseName = (typeof promises)[number];

export interface KvSuiteOptions {
  /** Promises that this store does not make, each with the reason. */
  readonly except?: Partial<Record<PromiseName, string>>;
  /** Runs of each property test; the default is 60. */
  readonly runs?: number;
  /** The default is that of the contract; a store that adds to keys takes shorter ones. */
  readonly longestKeyBytes?: number;
}

export type KvSuiteTest = (promise: PromiseName, sentence: string, body: TestFunction) => void;

export function describeKv(name: string, makeHome: () => Promise<KvHome>, options: KvSuiteOptions = {}): void {
  describe(`kv ${name}`, () => {
    let home: KvHome;
    let kv: Kv;
    beforeAll(async () => {
      home = await makeHome();
      kv = await home.open();
    });
    afterAll(async () => {
      await kv?.close();
      await home?.remove();
    });
    // Every test uses its own prefix, so that one server can serve them all.
    let counter = 0;
    const scope = (): string => `test${++counter}/`;
    const it: KvSuiteTest = (promise, sentence, body) => {
      const reason = options.except?.[promise];
      if (reason === undefined) test(`${promise}: ${sentence}`, body);
      else test.skip(`${promise}: ${sentence} (${reason})`, body);
    };

    it("durable", "written data is still there after closing and opening again", async () => {
      const other = await makeHome();
      try {
        const first = await other.open();
        const kept = await first.put("kept", bytes("1"), 0n);
        const gone = await first.put("gone", bytes("2"), 0n);
        const last = await first.delete("gone", gone);
        await first.close();
        const second = await other.open();
        try {
          expect(await second.get("kept")).toEqual({ key: "kept", value: bytes("1"), revision: kept, created: kept });
          expect(await second.get("gone")).toBeUndefined();
          expect(await second.revision()).toBeGreaterThanOrEqual(last);
          expect(await second.put("new", bytes("3"), 0n)).toBeGreaterThan(last);
          const seen = await collect(second, "", kept, 3);
          expect(seen.map(({ key, value }) => [key, value])).toEqual([
            ["gone", bytes("2")],
            ["gone", undefined],
            ["new", bytes("3")],
          ]);
        } finally {
          await second.close();
        }
      } finally {
        await other.remove();
      }
    });

    it("atomic", "of many writers that expect the same revision exactly one succeeds", async () => {
      const key = `${scope()}key`;
      let current = 0n;
      for (let round = 0; round < 5; round += 1) {
        const expected = current;
        const results = await Promise.allSettled(
          Array.from({ length: 16 }, (_, writer) => kv.put(key, bytes(`${round}/${writer}`), expected)),
        );
        const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
        expect(won).toHaveLength(1);
        current = won[0]!;
        const winner = results.findIndex((result) => result.status === "fulfilled");
        for (const result of results) {
          if (result.status === "fulfilled") continue;
          expect(result.reason).toBeInstanceOf(RevisionConflict);
          expect(result.reason.code).toBe("conflict");
        }
        const entry = await kv.get(key);
        expect(entry).toMatchObject({ revision: current, value: bytes(`${round}/${winner}`) });
      }
    });

    it("atomic", "a refused write changes nothing and tells the current revision", async () => {
      const key = `${scope()}key`;
      await expect(kv.put(key, bytes("x"), 99_999_999n)).rejects.toBeInstanceOf(RevisionConflict);
      await expect(kv.delete(key, 0n)).rejects.toBeInstanceOf(RevisionConflict);
      await expect(kv.delete(key, 99_999_999n)).rejects.toBeInstanceOf(RevisionConflict);
      const revision = await kv.put(key, bytes("a"), 0n);
      const before = await kv.revision();
      const conflict = await kv.put(key, bytes("b"), 0n).catch((error: unknown) => error);
      expect(conflict).toBeInstanceOf(RevisionConflict);
      expect((conflict as RevisionConflict).revision).toBe(revision);
      await expect(kv.delete(key, revision - 1n)).rejects.toBeInstanceOf(RevisionConflict);
      expect(await kv.get(key)).toEqual({ key, value: bytes("a"), revision, created: revision });
      expect(await kv.revision()).toBe(before);
    });

    it("atomic", "a key that was deleted can be created again, and starts again", async () => {
      const key = `${scope()}key`;
      const first = await kv.put(key, bytes("a"), 0n);
      const second = await kv.put(key, bytes("b"), first);
      expect(await kv.get(key)).toEqual({ key, value: bytes("b"), revision: second, created: first });
      const third = await kv.delete(key, second);
      await expect(kv.put(key, bytes("c"), second)).rejects.toBeInstanceOf(RevisionConflict);
      await expect(kv.put(key, bytes("c"), third)).rejects.toBeInstanceOf(RevisionConflict);
      const fourth = await kv.put(key, bytes("c"), 0n);
      expect(await kv.get(key)).toEqual({ key, value: bytes("c"), revision: fourth, created: fourth });
    });

    it("monotonic", "every write gets a greater revision than every write that was completed before", async () => {
      const prefix = scope();
      let last = await kv.revision();
      for (let index = 0; index < 20; index += 1) {
        const revision = await kv.put(`${prefix}${index}`, bytes("x"), 0n);
        expect(revision).toBeGreaterThan(last);
        last = revision;
        // The revision that a store knows without a request must not be older than the one it returns on request.
        const now = kv.newest?.();
        if (now !== undefined) expect(now).toBeGreaterThanOrEqual(revision);
        expect(await kv.revision()).toBeGreaterThanOrEqual(now ?? revision);
      }
      const many = await Promise.all(Array.from({ length: 50 }, (_, i) => kv.put(`${prefix}many${i}`, bytes("x"), 0n)));
      expect(new Set(many).size).toBe(50);
    });

    it("snapshot", "a range during concurrent writes shows one revision", async () => {
      const prefix = scope();
      // The two keys are always written left first, so at any one moment left is ahead of right by at most one.
      let [left, right] = [0n, 0n];
      let writing = true;
      const writer = (async () => {
        for (let step = 1; step <= 100; step += 1) {
          left = await kv.put(`${prefix}left`, bytes(`${step}`), left);
          right = await kv.put(`${prefix}right`, bytes(`${step}`), right);
        }
        writing = false;
      })();
      while (writing) {
        await new Promise((resolve) => setImmediate(resolve)); // a store may answer in the same turn and starve the writer
        const { entries, revision } = await kv.range(prefix);
        const [a, b] = entries.map((entry) => Number(text(entry.value)));
        if (a !== undefined && b !== undefined) expect(a - b === 0 || a - b === 1).toBe(true);
        for (const entry of entries) expect(entry.revision).toBeLessThanOrEqual(revision);
      }
      await writer;
    });

    it("snapshot", "a range can be read in pages of one revision while the keys change", async () => {
      const prefix = scope();
      for (let index = 0; index < 10; index += 1) await kv.put(`${prefix}${index}`, bytes("old"), 0n);
      const first = await kv.range(prefix, { limit: 4 });
      expect(first.remaining).toBe(6);
      for (const entry of (await kv.range(prefix)).entries) await kv.put(entry.key, bytes("new"), entry.revision);
      await kv.put(`${prefix}55`, bytes("new"), 0n);
      const gone = await kv.get(`${prefix}7`);
      await kv.delete(`${prefix}7`, gone!.revision);
      const rest = await kv.range(prefix, { start: `${prefix}3\0`, revision: first.revision });
      expect(rest.revision).toBe(first.revision);
      expect(rest.remaining).toBe(0);
      const all = [...first.entries, ...rest.entries];
      expect(all.map((entry) => entry.key)).toEqual(Array.from({ length: 10 }, (_, index) => `${prefix}${index}`));
      for (const entry of all) expect(text(entry.value)).toBe("old");
    });

    it("snapshot", "pages without a count say whether there are more", async () => {
      const prefix = scope();
      for (let index = 0; index < 5; index += 1) await kv.put(`${prefix}${index}`, bytes("x"), 0n);
      const first = await kv.range(prefix, { limit: 2, uncounted: true });
      expect(first.entries.map(({ key }) => key)).toEqual([`${prefix}0`, `${prefix}1`]);
      expect(first.remaining).toBeGreaterThan(0);
      const { revision } = first;
      const last = await kv.range(prefix, { limit: 3, start: `${prefix}1\0`, revision, uncounted: true });
      expect(last.entries.map(({ key }) => key)).toEqual([`${prefix}2`, `${prefix}3`, `${prefix}4`]);
      expect(last.remaining).toBe(0);
    });

    it("snapshot", "a pinned state stays readable over later writes and compaction, until it is released", async () => {
      if (kv.pin === undefined) return; // a promise that a store may omit
      const prefix = scope();
      const kept = await kv.put(`${prefix}kept`, bytes("old"), 0n);
      const gone = await kv.put(`${prefix}gone`, bytes("old"), 0n);
      const pin = kv.pin();
      expect(pin.revision).toBe(gone);
      await kv.put(`${prefix}kept`, bytes("new"), kept);
      await kv.delete(`${prefix}gone`, gone);
      const after = await kv.put(`${prefix}later`, bytes("new"), 0n);
      await kv.compact(after);
      await kv.put(`${prefix}last`, bytes("new"), 0n);
      const read = () => kv.range(prefix, { revision: pin.revision });
      expect((await read()).entries.map(({ key, value }) => [key, text(value)])).toEqual([
        [`${prefix}gone`, "old"],
        [`${prefix}kept`, "old"],
      ]);
      await expect(collect(kv, prefix, pin.revision, 1)).rejects.toBeInstanceOf(RevisionCompacted);
      pin.release();
      pin.release(); // twice is harmless
      await expect(read()).rejects.toBeInstanceOf(RevisionCompacted);
    });

    it("snapshot", "a revision that has not been reached is refused", async () => {
      const ahead = (await kv.revision()) + 1_000n;
      await expect(kv.range(scope(), { revision: ahead })).rejects.toBeInstanceOf(RevisionUnknown);
      await expect(kv.range(scope(), { revision: ahead, start: "z" })).rejects.toBeInstanceOf(RevisionUnknown);
    });

    it("ordered", "a range is in the order of UTF-8 bytes and within its prefix", async () => {
      const prefix = scope();
      const tails = [
        "",
        "\0",
        "\0\0",
        "\x01",
        "a",
        "a\0",
        "a/",
        "aa",
        "ab",
        "b",
        "\x7f",
        "é",
        "\ufffd",
        "\uffff",
        "😀",
      ];
      for (const tail of tails.toReversed()) await kv.put(`${prefix}a${tail}`, bytes(tail), 0n);
      await kv.put(`${prefix}A`, bytes("other"), 0n);
      await kv.put(`${prefix}b`, bytes("other"), 0n);
      const sorted = tails.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const { entries } = await kv.range(`${prefix}a`);
      expect(entries.map((entry) => entry.key)).toEqual(sorted.map((tail) => `${prefix}a${tail}`));
      expect(entries.map((entry) => text(entry.value))).toEqual(sorted);
      for (const tail of tails) {
        const key = `${prefix}a${tail}`;
        const within = sorted.filter((other) => other.startsWith(tail));
        expect((await kv.range(key)).entries.map((entry) => entry.key)).toEqual(within.map((t) => `${prefix}a${t}`));
        const from = sorted.slice(sorted.indexOf(tail));
        const page = await kv.range(`${prefix}a`, { start: key, limit: 2 });
        expect(page.entries.map((entry) => entry.key)).toEqual(from.slice(0, 2).map((t) => `${prefix}a${t}`));
        expect(page.remaining).toBe(Math.max(0, from.length - 2));
        expect((await kv.get(key))?.key).toBe(key);
      }
    });

    it("bounded", "compacted history is gone for ranges and watches, and only for these", async () => {
      const prefix = scope();
      const a = await kv.put(`${prefix}key`, bytes("1"), 0n);
      const other = await kv.put(`${prefix}other`, bytes("o"), 0n);
      const b = await kv.put(`${prefix}key`, bytes("2"), a);
      const c = await kv.put(`${prefix}key`, bytes("3"), b);
      const dead = await kv.put(`${prefix}dead`, bytes("x"), 0n);
      const died = await kv.delete(`${prefix}dead`, dead);
      await kv.compact(c);
      for (const revision of [a, b, c - 1n]) {
        await expect(kv.range(prefix, { revision })).rejects.toBeInstanceOf(RevisionCompacted);
        const behindAll = `${prefix}\uffff`;
        await expect(kv.range(`${prefix}a`, { revision, start: behindAll })).rejects.toBeInstanceOf(RevisionCompacted);
        await expect(collect(kv, prefix, revision, 1)).rejects.toBeInstanceOf(RevisionCompacted);
      }
      expect((await kv.range(prefix, { revision: c })).entries.map((entry) => text(entry.value))).toEqual(["3", "o"]);
      expect((await kv.range(prefix, { revision: dead })).entries).toHaveLength(3);
      const seen = await collect(kv, prefix, c, 2);
      expect(seen.map((change) => change.revision)).toEqual([dead, died]);
      expect(seen[1]!.value).toBeUndefined();
      expect((await kv.get(`${prefix}other`))?.revision).toBe(other);
      await kv.compact(died);
      await kv.compact(a); // already done: not an error
      await expect(kv.compact((await kv.revision()) + 1_000n)).rejects.toBeInstanceOf(RevisionUnknown);
      expect((await kv.range(prefix)).entries.map((entry) => text(entry.value))).toEqual(["3", "o"]);
      const compacted = await collect(kv, prefix, a, 1).catch((error: unknown) => error);
      expect((compacted as RevisionCompacted).oldest).toBe(died);
      const d = await kv.put(`${prefix}key`, bytes("4"), c);
      expect((await collect(kv, prefix, died, 1))[0]!.value).toEqual(bytes("4"));
      expect((await kv.get(`${prefix}key`))?.created).toBe(a);
      expect(d).toBeGreaterThan(died);
    });

    it("limited", "keys and values above the limits are refused, those at the limit are kept", async () => {
      const prefix = scope();
      const longest = prefix + "k".repeat((options.longestKeyBytes ?? keyBytesMax) - prefix.length);
      const largest = new Uint8Array(valueBytesMax).fill(7);
      const revision = await kv.put(longest, bytes("x"), 0n);
      expect((await kv.get(longest))?.revision).toBe(revision);
      expect((await kv.range(longest)).entries).toHaveLength(1);
      const big = await kv.put(`${prefix}big`, largest, 0n);
      expect(Buffer.compare((await kv.get(`${prefix}big`))!.value, largest)).toBe(0);
      await kv.delete(`${prefix}big`, big);
      const empty = await kv.put(`${prefix}empty`, new Uint8Array(0), 0n);
      expect(await kv.get(`${prefix}empty`)).toMatchObject({ value: new Uint8Array(0), revision: empty });
      const before = await kv.revision();
      for (const key of [`${longest}k`, "é".repeat(keyBytesMax), "x".repeat(10_000)]) {
        await expect(kv.put(key, bytes("x"), 0n)).rejects.toMatchObject({ code: "too-large" });
        await expect(kv.get(key)).rejects.toMatchObject({ code: "too-large" });
        await expect(kv.range(key)).rejects.toMatchObject({ code: "too-large" });
        await expect(kv.delete(key, 1n)).rejects.toMatchObject({ code: "too-large" });
      }
      await expect(kv.put(`${prefix}v`, new Uint8Array(valueBytesMax + 1), 0n)).rejects.toMatchObject({
        code: "too-large",
      });
      await expect(kv.put("", bytes("x"), 0n)).rejects.toBeInstanceOf(TypeError);
      await expect(kv.put("\ud800", bytes("x"), 0n)).rejects.toBeInstanceOf(TypeError);
      expect(await kv.revision()).toBe(before);
    });

    it("limited", "a store that knows its size reports it", async () => {
      await kv.put(`${scope()}key`, bytes("1"), 0n);
      const sizes = (await kv.sizes?.()) ?? [{ endpoint: "memory", bytes: 1 }];
      expect(sizes.length).toBeGreaterThan(0);
      for (const { endpoint, bytes: size } of sizes) expect([endpoint !== "", size > 0]).toEqual([true, true]);
    });

    it("limited", "a closed store ends its watches and refuses every later call", async () => {
      const other = await makeHome();
      try {
        const closing = await other.open();
        const revision = await closing.put("key", bytes("1"), 0n);
        const watcher = follow(closing, "", revision, new AbortController().signal);
        const underWay = closing.put("key2", bytes("1"), 0n).catch((error: unknown) => error);
        await closing.close();
        await watcher.ended;
        const outcome = await underWay;
        expect(typeof outcome === "bigint" || outcome instanceof KvError).toBe(true);
        await closing.close(); // closing twice is harmless
        expect(closing.newest?.()).toBeUndefined();
        for (const call of [
          () => closing.revision(),
          () => closing.get("key"),
          () => closing.range(""),
          () => closing.put("key", bytes("2"), revision),
          () => closing.delete("key", revision),
          () => closing.commit([{ key: "key", expected: revision }]),
          () => closing.compact(revision),
          () => collect(closing, "", 0n, 1),
        ]) {
          await expect(call()).rejects.toBeInstanceOf(KvClosed);
        }
      } finally {
        await other.remove();
      }
    });

    describeWatching(() => kv, scope, it);
    describeCommits(() => kv, scope, it);
    describeHistories(() => kv, scope, it);
    describeModel(makeHome, it, options.runs ?? 60);
  });
}
