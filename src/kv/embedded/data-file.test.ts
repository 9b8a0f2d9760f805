import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ReservedSpace } from "./data-file.ts";

const folder = mkdtempSync(join(tmpdir(), "kv-room-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the file is extended beyond its contents by the requested size, and some more", () => {
  const path = join(folder, "ahead");
  writeFileSync(path, Buffer.alloc(8_192, 1));
  const room = new ReservedSpace(path, () => 8_192);
  room.ensure(100_000);
  const { size } = statSync(path);
  expect(size).toBeGreaterThan(108_192);
  room.ensure(100_000); // there is enough of it left
  expect(statSync(path).size).toBe(size);
  room.close();
});

test("contents are never overwritten, even when they have grown by more than was requested", () => {
  const path = join(folder, "grown");
  writeFileSync(path, Buffer.alloc(8_192, 1));
  let used = 8_192;
  const room = new ReservedSpace(path, () => used);
  room.ensure(10_000);
  appendFileSync(path, Buffer.alloc(5_000_000, 2)); // as if LMDB had needed far more
  used = statSync(path).size;
  room.ensure(3_000_000);
  const bytes = readFileSync(path);
  expect(bytes.length).toBeGreaterThan(used + 3_000_000);
  expect(bytes.subarray(0, 8_192).every((byte) => byte === 1)).toBe(true);
  expect(bytes.subarray(used - 5_000_000, used).every((byte) => byte === 2)).toBe(true);
  room.close();
});
