import { describe, expect, test } from "vitest";
import { describeKv } from "./contract.suite.ts";
import { RevisionCompacted, RevisionConflict } from "./contract.ts";
import { bytes, collect } from "./follow.suite.ts";
import { createMemoryKv } from "./memory/memory.ts";
import { describeNoted } from "./noted.suite.ts";
import { withRevisionOffset } from "./revision-offset.ts";

const offset = 5_000_000_000n;

describeKv(
  "with a revision offset",
  async () => ({
    open: async () => withRevisionOffset(createMemoryKv(), offset),
    remove: async () => {},
  }),
  { except: { durable: "the memory store forgets everything" }, runs: 20 },
);

describeNoted("offset", () => ({
  open: async (bounds, clock) => withRevisionOffset(createMemoryKv({ noted: { bounds, clock } }), offset),
  isDurable: false,
}));

describe("a store with a revision offset", () => {
  test("revisions of the store it replaces are compacted, and never match what a writer expects", async () => {
    const kv = withRevisionOffset(createMemoryKv(), offset);
    const first = await kv.put("key", bytes("1"), 0n);
    expect(first).toBe(offset + 1n);
    for (const former of [1n, offset - 7n, offset - 1n]) {
      await expect(collect(kv, "", former, 1)).rejects.toBeInstanceOf(RevisionCompacted);
      await expect(kv.range("", { revision: former })).rejects.toBeInstanceOf(RevisionCompacted);
      await expect(kv.put("new", bytes("x"), former)).rejects.toBeInstanceOf(RevisionConflict);
      const conflict = await kv.put("key", bytes("x"), former).catch((error: unknown) => error);
      expect(conflict).toMatchObject({ revision: first });
      await expect(kv.delete("key", former)).rejects.toBeInstanceOf(RevisionConflict);
      await kv.compact(former);
    }
    expect(await kv.get("key")).toMatchObject({ revision: first });
  });
});
