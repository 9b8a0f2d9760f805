import { expect, test } from "vitest";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { raiseStoreLevel, StoreLevelError } from "./store-level.ts";

test("the lowest level writes nothing, and opens what it wrote", async () => {
  const kv = createMemoryKv();
  await raiseStoreLevel(kv, "1.21");
  expect(await kv.revision()).toBe(0n);
  await raiseStoreLevel(kv, "1.21");
});

test("a store may be opened at a higher level, and then no longer at the lower one", async () => {
  const kv = createMemoryKv();
  await raiseStoreLevel(kv, "1.35");
  await raiseStoreLevel(kv, "1.35");
  const lower = raiseStoreLevel(kv, "1.21");
  await expect(lower).rejects.toThrow(StoreLevelError);
  await expect(lower).rejects.toThrow("start with --emulated-version=1.35, or with another store");
});

test("a level that this program does not know is refused", async () => {
  const kv = createMemoryKv();
  await kv.put("registry/level", Buffer.from("1.99"), 0n);
  await expect(raiseStoreLevel(kv, "1.35")).rejects.toThrow("holds objects of level 1.99");
});
