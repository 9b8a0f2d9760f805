import { expect, test } from "vitest";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { rememberVocabulary } from "./store.ts";

test("a store remembers its vocabulary and refuses another", async () => {
  const kv = createMemoryKv();
  await rememberVocabulary(kv, "kubernetes");
  await rememberVocabulary(kv, "kubernetes");
  await expect(rememberVocabulary(kv, "orch")).rejects.toThrow(/start with --vocabulary=kubernetes/);
});

test("of two servers that begin at once with different vocabularies one is refused", async () => {
  const kv = createMemoryKv();
  const outcomes = await Promise.allSettled([rememberVocabulary(kv, "orch"), rememberVocabulary(kv, "kubernetes")]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});
