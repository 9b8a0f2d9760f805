import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import type { KvEntry } from "../contract.ts";
import { bytes, text } from "../follow.suite.ts";
import { Disk } from "./disk.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { inspectStore } from "./inspect.ts";
import type { Migration } from "./migrations.ts";

const parent = mkdtempSync(join(tmpdir(), "formats-"));
let counter = 0;
const newFolder = (): string => join(parent, `store${++counter}`);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** A store that a server of format 1 wrote: see test/fixtures/README.md. */
function formerStore(): string {
  const folder = newFolder();
  mkdirSync(folder, { mode: 0o700 });
  const data = gunzipSync(readFileSync(join(import.meta.dirname, "../../../test/fixtures/store-format-1/data.mdb.gz")));
  writeFileSync(join(folder, "data.mdb"), data, { mode: 0o600 });
  return folder;
}

async function inspected(folder: string): Promise<{ entries: KvEntry[]; problems: string[] }> {
  const entries: KvEntry[] = [];
  const problems: string[] = [];
  await inspectStore({
    folder,
    onEntry: (entry) => entries.push(entry),
    onProblem: (problem) => problems.push(problem),
  });
  return { entries, problems };
}

describe("a store of the previous release", () => {
  test("opens with all its entries, and accepts writes after its newest revision", async () => {
    const folder = formerStore();
    const kv = await openEmbeddedKv({ folder, syncMode: "none" });
    expect(await kv.revision()).toBe(210n);
    const entry = await kv.get("/core/configmaps/shop/prices-0");
    expect(entry).toMatchObject({ revision: 201n, created: 194n });
    expect(JSON.parse(text(entry!.value))).toMatchObject({ kind: "ConfigMap", data: { apple: "7", text: "é😀" } });
    expect(await kv.get("/core/configmaps/shop/prices-4")).toBeUndefined();
    expect(await kv.put("new", bytes("1"), 0n)).toBe(211n);
    await kv.close();
    expect((await inspected(folder)).problems).toEqual([]);
  });

  test("keeps its history: a watch from before the restart gets every change", async () => {
    const kv = await openEmbeddedKv({ folder: formerStore(), syncMode: "none" });
    const watch = kv.watch("/core/configmaps/shop/", 200n, new AbortController().signal)[Symbol.asyncIterator]();
    const { changes } = (await watch.next()).value;
    expect(changes.map(({ key, revision }: { key: string; revision: bigint }) => [key.slice(-1), revision])).toEqual([
      ["0", 201n],
      ["4", 202n],
    ]);
    await kv.close();
  });
});

describe("formats", () => {
  const addsNote: Migration = ({ meta }) => void meta.putSync(Buffer.from("note"), Buffer.from("from 1"), 0);
  const readsNote: Migration = ({ meta }) => {
    const note = meta.get(Buffer.from("note"));
    meta.putSync(Buffer.from("note"), Buffer.from(`${note}, from 2`), 0);
  };
  const newStore = async (): Promise<string> => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder, syncMode: "none" });
    await kv.put("key", bytes("1"), 0n);
    await kv.close();
    return join(folder, "data.mdb");
  };

  test("a file of an older format is migrated step by step, and keeps its contents", async () => {
    const path = await newStore();
    const seen: string[] = [];
    const steps: Migration[] = [addsNote, readsNote, ({ meta }) => seen.push(String(meta.get(Buffer.from("note"))))];
    const disk = await Disk.open(path, { sync: false, steps });
    expect(disk.readState().revision).toBe(1n);
    expect(disk.versionAt("key")).toMatchObject({ revision: 1n });
    await disk.close();
    expect(seen).toEqual(["from 1, from 2"]);
    await (await Disk.open(path, { sync: false, steps })).close();
    expect(seen).toHaveLength(1); // no step runs twice
  });

  test("an older program refuses a newer file in one sentence and does not change it", async () => {
    const path = await newStore();
    await (await Disk.open(path, { sync: false, steps: [addsNote, readsNote] })).close();
    const before = readFileSync(path);
    await expect(Disk.open(path, { sync: false })).rejects.toThrow(
      `${path} has format 3, and this program supports formats up to 1: use a newer program`,
    );
    await expect(Disk.openForReading(path)).rejects.toThrow(/use a newer program$/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a step that fails changes nothing, and the next start begins with it", async () => {
    const path = await newStore();
    const fails: Migration = (tables) => {
      readsNote(tables);
      throw new Error("interrupted");
    };
    await expect(Disk.open(path, { sync: false, steps: [addsNote, fails] })).rejects.toThrow("interrupted");
    const seen: string[] = [];
    const steps: Migration[] = [
      () => seen.push("step 1 again"),
      ({ meta }) => seen.push(String(meta.get(Buffer.from("note")))),
    ];
    await (await Disk.open(path, { sync: false, steps })).close();
    expect(seen).toEqual(["from 1"]);
  });
});

describe("inspecting a folder", () => {
  const filled = async (): Promise<string> => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder, syncMode: "none" });
    let revision = 0n;
    for (let index = 0; index < 5; index += 1) revision = await kv.put("changed", bytes(`value ${index}`), revision);
    for (let index = 0; index < 1_500; index += 1) void kv.put(`k${index}`, bytes("x"), 0n);
    const gone = await kv.put("gone", bytes("gone"), 0n);
    await kv.delete("gone", gone);
    await kv.close();
    return folder;
  };

  test("shows the newest state of each key and finds nothing wrong with a sound store", async () => {
    const { entries, problems } = await inspected(await filled());
    expect(problems).toEqual([]);
    expect(entries).toHaveLength(1_501);
    expect(entries[0]).toMatchObject({ key: "changed", revision: 5n, created: 1n });
    expect(text(entries[0]!.value)).toBe("value 4");
  });

  test("names a record whose bytes have changed", async () => {
    const folder = await filled();
    const path = join(folder, "data.mdb");
    const data = readFileSync(path);
    for (let at = data.indexOf("value 3"); at >= 0; at = data.indexOf("value 3", at + 1)) data[at]! ^= 1;
    writeFileSync(path, data);
    expect((await inspected(folder)).problems).toEqual(['the record of revision 4 (key "changed") is damaged']);
  });

  test("refuses a folder that is in use, and one without a store", async () => {
    const folder = newFolder();
    const kv = await openEmbeddedKv({ folder, syncMode: "none" });
    await expect(inspected(folder)).rejects.toThrow(/already open in this process/);
    await kv.close();
    await expect(inspected(newFolder())).rejects.toThrow(/there is no store in/);
  });

  test("changes nothing", async () => {
    const folder = await filled();
    const before = readFileSync(join(folder, "data.mdb"));
    await inspected(folder);
    expect(readFileSync(join(folder, "data.mdb")).equals(before)).toBe(true);
  });
});
