import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KvEntry } from "../../kv/contract.ts";
import { levelOfFolder, vocabularyOfFolder } from "../stores/data-folder.ts";
import { fillFolder } from "./target.ts";

test("a restored folder has the vocabulary and the level of its objects", async () => {
  const base = await mkdtemp(join(tmpdir(), "orch-target-"));
  const filled = async (name: string, entries: readonly KvEntry[]) => {
    async function* pages() {
      yield entries;
    }
    await fillFolder(join(base, name), { vocabulary: "kubernetes", revision: 9n, pages: pages() });
    return [await vocabularyOfFolder(join(base, name)), await levelOfFolder(join(base, name))];
  };
  try {
    const level = { key: "registry/level", value: Buffer.from("1.35"), revision: 1n, created: 1n };
    expect(await filled("old", [])).toEqual(["kubernetes", "1.21"]);
    expect(await filled("new", [level])).toEqual(["kubernetes", "1.35"]);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
});
