/** Claims on names. */

import { expect, test } from "vitest";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { createClaims } from "./claims.ts";

test("only one of many concurrent claims gets a name", async () => {
  const claims = createClaims(createMemoryKv());
  const wants = Array.from({ length: 20 }, (_, index) => claims.take("pool", "x", `holder ${index}`));
  expect((await Promise.all(wants)).filter(Boolean)).toHaveLength(1);
});

test("only its holder releases a name, and then another may claim it", async () => {
  const claims = createClaims(createMemoryKv());
  expect(await claims.take("pool", "x", "a")).toBe(true);
  expect(await claims.take("pool", "x", "a")).toBe(false);
  await claims.free("pool", "x", "b");
  expect((await claims.held("pool")).get("x")?.holder).toBe("a");
  await claims.free("pool", "x", "a");
  await claims.free("pool", "x", "a");
  expect(await claims.take("pool", "x", "b")).toBe(true);
});

test("pools are independent", async () => {
  const claims = createClaims(createMemoryKv());
  await claims.take("a", "x", "1");
  await claims.take("ab", "x", "2");
  expect([...(await claims.held("a")).keys()]).toEqual(["x"]);
  expect(await claims.take("b", "x", "3")).toBe(true);
});
