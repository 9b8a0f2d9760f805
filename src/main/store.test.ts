import { expect, test } from "vitest";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { openMarked } from "./backup/etcd-mark.ts";

test("a store records its vocabulary and refuses another", async () => {
  const kv = createMemoryKv();
  await openMarked(kv, "kubernetes");
  await openMarked(kv, "kubernetes");
  await expect(openMarked(kv, "orch")).rejects.toThrow(/start with --vocabulary=kubernetes/);
});

test("of two servers that begin at once with different vocabularies one is refused", async () => {
  const kv = createMemoryKv();
  const outcomes = await Promise.allSettled([openMarked(kv, "orch"), openMarked(kv, "kubernetes")]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});
