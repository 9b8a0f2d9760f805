import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { Kv, KvHistoryBounds } from "../contract.ts";
import { bytes, text } from "../follow.suite.ts";
import { allChanges, describeNoted } from "../noted.suite.ts";
import { dataFile } from "./data-file.ts";
import { Disk } from "./disk.ts";
import { openEmbeddedKv } from "./embedded.ts";

const parent = mkdtempSync(join(tmpdir(), "kv-history-"));
let counter = 0;
const newFolder = (): string => join(parent, `data${++counter}`);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describeNoted("embedded", () => {
  const folder = newFolder();
  return { open: (noted, clock) => openEmbeddedKv({ folder, noted, clock }), isDurable: true };
});

const day: KvHistoryBounds = { ageMs: 86_400_000, bytesMax: 1e9 };
const none: KvHistoryBounds = { ageMs: 0, bytesMax: 0 };

async function write(kv: Kv, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const found = await kv.get("/a");
    await kv.put("/a", bytes(`${index}`), found?.revision ?? 0n, bytes(`note ${index}`));
  }
}

describe("the files of a history", () => {
  test("survive a restart, and a program that opens the store without keeping history leaves them", async () => {
    const folder = newFolder();
    const first = await openEmbeddedKv({ folder, noted: day });
    await write(first, 3);
    await first.close();
    const tool = await openEmbeddedKv({ folder });
    expect(tool.history?.()).toBeUndefined();
    await tool.close();
    const again = await openEmbeddedKv({ folder, noted: day });
    expect((await allChanges(again.history!()!)).map(({ note }) => text(note))).toEqual(["note 2", "note 1", "note 0"]);
    await again.close();
  });

  test("end where a program wrote without keeping history: nothing is claimed about that time", async () => {
    const folder = newFolder();
    const first = await openEmbeddedKv({ folder, noted: day });
    await write(first, 3);
    await first.close();
    const other = await openEmbeddedKv({ folder });
    await write(other, 1);
    await other.close();
    const again = await openEmbeddedKv({ folder, noted: day });
    expect(await allChanges(again.history!()!)).toEqual([]);
    expect(again.history!()!.oldest.revision).toBe(4n);
    await write(again, 1);
    expect(await allChanges(again.history!()!)).toHaveLength(1);
    await again.close();
  });

  test("are removed, with the states, when the history is turned off", async () => {
    const folder = newFolder();
    const first = await openEmbeddedKv({ folder, noted: day });
    await write(first, 400);
    await first.compact(400n);
    await first.close();
    expect(await recordsIn(folder)).toBe(400);
    const off = await openEmbeddedKv({ folder, noted: none });
    expect(off.history?.()).toBeUndefined();
    await off.compact(await off.revision());
    // Each write takes a part of what is to go with it.
    for (let index = 0; index < 5; index += 1) await off.put(`/other${index}`, bytes("x"), 0n);
    await off.close();
    expect(await recordsIn(folder)).toBe(6);
  });

  test("give up history when the disk is nearly full, before a write is refused", async () => {
    let freeBytes = 1e12;
    const clock = createManualClock(1_000_000);
    const kv = await openEmbeddedKv({ folder: newFolder(), noted: day, clock, freeBytes: () => freeBytes });
    await write(kv, 100);
    const { bytes: before } = kv.history!()!;
    freeBytes = 40 * 1024 * 1024;
    clock.advance(16_000);
    expect(kv.history!()!.bytes).toBeLessThan(before * 0.6);
    await write(kv, 1);
    await kv.close();
  });
});

/** How many versions are in the files of a closed store. */
async function recordsIn(folder: string): Promise<number> {
  const disk = await Disk.openForReading(join(folder, dataFile));
  try {
    return disk.countRecords();
  } finally {
    await disk.close();
  }
}
