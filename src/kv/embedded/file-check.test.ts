import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dataFile } from "./data-file.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { checkFile } from "./file-check.ts";
import { openTables } from "./tables.ts";

/** Where each meta page has its map size, and the first page of our files the size of pages. */
const mapSizeAt = 40;
const pageSizeAt = 48;

const folder = mkdtempSync(join(tmpdir(), "kv-check-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes so many values of a megabyte. */
async function fill(store: string, count: number): Promise<string> {
  const kv = await openEmbeddedKv({ folder: store });
  for (let index = 0; index < count; index += 1) await kv.put(`key${index}`, new Uint8Array(1_048_576), 0n);
  await kv.close();
  return join(store, dataFile);
}

test("a file that has grown is intact at every size", async () => {
  for (const count of [0, 1, 3, 40]) {
    const file = await fill(join(folder, `grown${count}`), count);
    expect(await checkFile(file)).toBeGreaterThan(count * 1_048_576);
  }
});

test("a value that became shorter in its transaction keeps its pages, which is no damage", async () => {
  const file = await fill(join(folder, "shorter"), 1);
  const { root, log } = await openTables(file, {});
  root.transactionSync(() => {
    for (const bytes of [40_000, 9_000]) log.putSync(Buffer.alloc(8), Buffer.alloc(bytes));
  });
  await root.close();
  expect(await checkFile(file)).toBeGreaterThan(1_048_576);
});

describe("a damaged map size is found", () => {
  let file = "";
  beforeAll(async () => {
    file = await fill(join(folder, "damaged"), 1);
  });

  const cases: readonly [why: string, change: (size: bigint) => bigint][] = [
    ["that is zero", () => 0n],
    ["that is smaller than the contents", () => 8_192n],
    ["that is not whole pages", (size) => size + 1n],
    ["that no system could map", () => 2n ** 60n],
  ];
  for (const [why, change] of cases)
    test(why, async () => {
      const bytes = readFileSync(file);
      const pageBytes = bytes.readUInt32LE(pageSizeAt);
      for (const metas of [[0], [1], [0, 1]]) {
        const copy = join(folder, "copy.mdb");
        copyFileSync(file, copy);
        const opened = openSync(copy, "r+");
        for (const meta of metas) {
          const at = meta * pageBytes + mapSizeAt;
          const size = Buffer.alloc(8);
          size.writeBigUInt64LE(change(bytes.readBigUInt64LE(at)));
          writeSync(opened, size, 0, size.length, at);
        }
        closeSync(opened);
        await expect(checkFile(copy)).rejects.toMatchObject({
          code: "damaged",
          message: expect.stringContaining("map size is impossible"),
        });
      }
    });
});
