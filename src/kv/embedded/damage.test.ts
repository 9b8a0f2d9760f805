import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Kv, KvEvents } from "../contract.ts";
import { dataFile } from "./data-file.ts";
import { discardDamaged } from "./discard.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { inspectStore } from "./inspect.ts";
import { encodeIndexKey } from "./records.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kv-damage-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const textOf = (value: Uint8Array) => Buffer.from(value).toString();

/** Flips a bit of every place in the file where these bytes are, `at` bytes behind their beginning. */
function damage(text: string | Buffer, at = 0): void {
  const path = join(folder, dataFile);
  const data = readFileSync(path);
  let found = 0;
  for (let place = data.indexOf(text); place >= 0; place = data.indexOf(text, place + 1)) {
    data[place + at]! ^= 1;
    found += 1;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(path, data);
}

async function write(fill: (kv: Kv) => Promise<unknown>): Promise<void> {
  const kv = await openEmbeddedKv({ folder });
  await fill(kv);
  await kv.close();
}

async function problems(): Promise<string[]> {
  const found: string[] = [];
  await inspectStore({ folder, onEntry: () => {}, onProblem: (problem) => found.push(problem) });
  return found;
}

describe("a damaged value", () => {
  beforeEach(async () => {
    await write(async (kv) => {
      await kv.put("a", bytes("first of a"), 0n);
      await kv.put("b", bytes("find me on disk"), 0n);
      await kv.put("c", bytes("first of c"), 0n);
    });
    damage("find me");
  });

  test("is told by a range that asks for it, and leaves the other entries as they are", async () => {
    const kv = await openEmbeddedKv({ folder });
    const { entries } = await kv.range("", { damaged: true });
    expect(entries.map(({ key, value, damage: told }) => [key, textOf(value), told?.code])).toEqual([
      ["a", "first of a", undefined],
      ["b", "", "damaged"],
      ["c", "first of c", undefined],
    ]);
    await expect(kv.range("")).rejects.toMatchObject({ code: "damaged", message: expect.stringContaining('"b"') });
    await kv.close();
  });

  test("ends history: a watch from before has to list again, and one from there continues", async () => {
    const kv = await openEmbeddedKv({ folder });
    const first = async (since: bigint): Promise<KvEvents> => {
      for await (const events of kv.watch("", since, new AbortController().signal)) return events;
      throw new Error("the watch ended");
    };
    expect((await first(0n)).changes.map(({ key }) => key)).toEqual(["a"]);
    await expect(first(1n)).rejects.toMatchObject({ code: "compacted", oldest: 2n });
    expect((await first(2n)).changes.map(({ key }) => key)).toEqual(["c"]);
    await kv.close();
  });

  test("is discarded on request, and clients that knew it list again", async () => {
    await expect(discardDamaged(folder, ["a"])).rejects.toThrow('the key "a" is not damaged; nothing was removed');
    await expect(discardDamaged(folder, ["d"])).rejects.toThrow('there is no key "d"; nothing was removed');
    await discardDamaged(folder, ["b"]);
    expect(await problems()).toEqual([]);
    const kv = await openEmbeddedKv({ folder });
    expect((await kv.range("")).entries.map(({ key, revision }) => `${key} ${revision}`)).toEqual(["a 1", "c 3"]);
    expect(await kv.revision()).toBe(4n);
    await expect(kv.range("", { revision: 3n })).rejects.toMatchObject({ code: "compacted", oldest: 4n });
    await kv.put("b", bytes("anew"), 0n);
    await kv.close();
    expect(await problems()).toEqual([]);
  });
});

test("a damaged index entry is told by the record that it points to", async () => {
  await write(async (kv) => {
    const first = await kv.put("a", bytes("1"), 0n);
    await kv.put("b", bytes("2"), 0n);
    await kv.delete("a", first);
  });
  for (const [key, revision] of [
    ["a", 3n],
    ["b", 2n],
  ] as const) {
    const stored = encodeIndexKey(key, revision);
    damage(stored, stored.length + 1); // in the checksum behind the key
  }
  const kv = await openEmbeddedKv({ folder });
  expect(await kv.get("a")).toBeUndefined();
  expect((await kv.range("")).entries.map(({ key }) => key)).toEqual(["b"]);
  await kv.close();
  expect(await problems()).toHaveLength(2);
});

test("a state before a damaged one does not come back when its key is deleted", async () => {
  await write(async (kv) => {
    const first = await kv.put("a", bytes("oldest state"), 0n);
    const second = await kv.put("a", bytes("find me on disk"), first);
    const third = await kv.put("a", bytes("third state"), second);
    expect(third).toBe(3n);
  });
  damage("find me");
  await write(async (kv) => {
    await kv.delete("a", 3n);
    await kv.put("b", bytes("another"), 0n);
    await kv.compact(await kv.revision());
  });
  // What is left to remove goes with the flushes of later openings.
  await expect
    .poll(async () => {
      await write((kv) => kv.put(`later${Math.random()}`, bytes("1"), 0n));
      return await problems();
    })
    .toEqual([]);
  const kv = await openEmbeddedKv({ folder });
  expect(await kv.get("a")).toBeUndefined();
  await kv.close();
});
