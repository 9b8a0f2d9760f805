import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type KvEntry, RevisionCompacted } from "../contract.ts";
import { bytes, collect, text } from "../follow.suite.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { fillStore } from "./fill.ts";

const parent = mkdtempSync(join(tmpdir(), "fill-"));
let counter = 0;
const newFolder = (): string => join(parent, `store${++counter}`);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function* pagesOf(...pages: KvEntry[][]): AsyncGenerator<KvEntry[]> {
  yield* pages;
}
const entry = (key: string, value: string, revision: bigint, created = revision): KvEntry => ({
  key,
  value: bytes(value),
  revision,
  created,
});

describe("a store that was filled", () => {
  test("has the entries with their revisions, and continues after its revision", async () => {
    const folder = newFolder();
    const told: number[] = [];
    const pages = pagesOf([entry("b", "2", 7n, 3n), entry("c", "", 5n)], [entry("a", "1", 2n)]);
    expect(await fillStore({ folder, pages, revision: 1_000n, onEntries: (n) => told.push(n) })).toBe(3);
    expect(told.at(-1)).toBe(3);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(parent).filter((name) => name.includes(".filling-"))).toEqual([]);
    const kv = await openEmbeddedKv({ folder, syncMode: "none" });
    expect(await kv.revision()).toBe(1_000n);
    expect((await kv.range("")).entries.map((e) => ({ ...e, value: text(e.value) }))).toEqual([
      { key: "a", value: "1", revision: 2n, created: 2n },
      { key: "b", value: "2", revision: 7n, created: 3n },
      { key: "c", value: "", revision: 5n, created: 5n },
    ]);
    for (const since of [0n, 7n, 999n]) {
      await expect(collect(kv, "", since, 1)).rejects.toBeInstanceOf(RevisionCompacted);
    }
    const next = await kv.put("b", bytes("3"), 7n);
    expect(next).toBe(1_001n);
    expect(await collect(kv, "", 1_000n, 1)).toMatchObject([{ key: "b", revision: 1_001n }]);
    await kv.delete("c", 5n);
    await kv.compact(await kv.revision());
    await kv.close();
    const again = await openEmbeddedKv({ folder, syncMode: "none" });
    expect((await again.range("")).entries.map(({ key, revision }) => [key, revision])).toEqual([
      ["a", 2n],
      ["b", 1_001n],
    ]);
    await again.close();
  });

  test("any entries in any order are found again", async () => {
    const keys = fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(keys, fc.infiniteStream(fc.uint8Array({ maxLength: 50 })), async (names, values) => {
        const folder = newFolder();
        const entries = names.map((key, index) => {
          const revision = BigInt(names.length - index);
          return { key, value: values.next().value, revision, created: revision };
        });
        await fillStore({ folder, pages: pagesOf(entries), revision: 100n });
        const kv = await openEmbeddedKv({ folder, syncMode: "none" });
        try {
          const found = (await kv.range("")).entries;
          const order = (a: KvEntry, b: KvEntry) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
          expect(found.map((e) => ({ ...e, value: new Uint8Array(e.value) }))).toEqual(entries.toSorted(order));
        } finally {
          await kv.close();
          rmSync(folder, { recursive: true });
        }
      }),
      { numRuns: 15 },
    );
  });

  test("is never mixed with an existing store", async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, "data.mdb"), "mine");
    await expect(fillStore({ folder, pages: pagesOf(), revision: 1n })).rejects.toThrow(/has contents already/);
    expect(readdirSync(folder)).toEqual(["data.mdb"]);
  });

  test("does not exist if its entries end early or are invalid", async () => {
    const folder = newFolder();
    async function* broken(): AsyncGenerator<KvEntry[]> {
      yield [entry("a", "1", 1n)];
      throw new Error("the backup is damaged");
    }
    await expect(fillStore({ folder, pages: broken(), revision: 9n })).rejects.toThrow("the backup is damaged");
    const doubled = pagesOf([entry("a", "1", 1n), entry("b", "1", 1n)]);
    await expect(fillStore({ folder, pages: doubled, revision: 9n })).rejects.toThrow(/the same revision/);
    const ahead = pagesOf([entry("a", "1", 10n)]);
    await expect(fillStore({ folder, pages: ahead, revision: 9n })).rejects.toThrow(/above that of the store/);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(parent).filter((name) => name.includes(".filling-"))).toEqual([]);
  });

  test("temporary files of a killed process are removed by the next one", async () => {
    const folder = newFolder();
    mkdirSync(`${folder}.filling-0123456789ab`);
    await fillStore({ folder, pages: pagesOf([entry("a", "1", 1n)]), revision: 9n });
    expect(existsSync(`${folder}.filling-0123456789ab`)).toBe(false);
  });
});
