import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Kv, KvEntry } from "../contract.ts";
import { openEmbeddedKv } from "../embedded/embedded.ts";
import { bytes } from "../follow.suite.ts";
import { createMemoryKv } from "../memory/memory.ts";
import { abandonedDraftMs, readBackupFile, writeBackupFile } from "./file.ts";
import { backupFormat, encodeHeader, magic } from "./format.ts";
import { type BackupPart, readBackup } from "./read.ts";
import { backupChunks } from "./write.ts";

const folder = mkdtempSync(join(tmpdir(), "backup-"));
let counter = 0;
const newPath = () => join(folder, `backup${++counter}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const about = { vocabulary: "orch", made: "2024-01-01T00:00:00Z", software: "test" };

async function* inPieces(whole: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function partsOf(whole: Buffer, size = 7): Promise<BackupPart[]> {
  const parts: BackupPart[] = [];
  for await (const part of readBackup(inPieces(whole, size))) parts.push(part);
  return parts;
}

async function bytesOf(kv: Kv): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of backupChunks({ kv, about })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const entriesOf = (parts: readonly BackupPart[]): KvEntry[] =>
  parts.flatMap((part) => (part.is === "entry" ? [part.entry] : []));
const plain = (entries: readonly KvEntry[]) =>
  entries.map((entry) => ({ ...entry, value: Buffer.from(entry.value).toString("hex") }));

async function sample(): Promise<Kv> {
  const kv = createMemoryKv();
  for (const key of ["/a/b/c", "/a/b/é", "registry/x"]) await kv.put(key, bytes(`value of ${key}`), 0n);
  await kv.put("/a/b/bytes", new Uint8Array([0, 255, 10, 13]), 0n);
  await kv.put("/a/b/empty", new Uint8Array(0), 0n);
  return kv;
}

describe("a backup", () => {
  test("has every entry with its bytes and revisions, whatever the size of the chunks", async () => {
    const kv = await sample();
    const whole = await bytesOf(kv);
    for (const size of [1, 13, 1_000_000]) {
      const parts = await partsOf(whole, size);
      expect(parts[0]).toMatchObject({ is: "header", header: { format: 1, revision: 5n, ...about } });
      expect(plain(entriesOf(parts))).toEqual(plain((await kv.range("")).entries));
      expect(parts.at(-1)).toMatchObject({ is: "seal", entries: 5 });
    }
  });

  test("omits keys that belong to the store and not to the objects", async () => {
    const kv = await sample();
    const chunks: Buffer[] = [];
    for await (const chunk of backupChunks({ kv, about, isLocal: (key) => key.startsWith("registry/") })) {
      chunks.push(chunk);
    }
    const keys = entriesOf(await partsOf(Buffer.concat(chunks))).map(({ key }) => key);
    expect(keys).toEqual(["/a/b/bytes", "/a/b/c", "/a/b/empty", "/a/b/é"]);
  });

  test("is refused with any one bit flipped", async () => {
    const whole = await bytesOf(await sample());
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      await expect(partsOf(damaged, 1_000), `bit ${bit}`).rejects.toThrow(/^the backup is|^this is not a backup/);
    }
  });

  test("is refused if it is truncated anywhere", async () => {
    const whole = await bytesOf(await sample());
    for (let length = 0; length < whole.length; length += 1) {
      const expected = length < magic.length ? "this is not a backup" : "the backup is truncated: it ends at byte";
      await expect(partsOf(whole.subarray(0, length), 1_000)).rejects.toThrow(expected);
    }
  });

  test("is refused with a message that names the damaged record and its position", async () => {
    const whole = await bytesOf(await sample());
    const at = whole.indexOf("value of /a/b/é");
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 1;
    await expect(partsOf(damaged)).rejects.toThrow(
      /^the backup is damaged: record 4 at byte \d+ \(after key "\/a\/b\/empty"\) does not fit its checksum$/,
    );
    await expect(partsOf(Buffer.concat([whole, bytes("x")]))).rejects.toThrow(/bytes follow its seal/);
  });

  test("is refused if a record is missing, duplicated or moved, although each record matches its checksum", async () => {
    const kv = await sample();
    const whole = await bytesOf(kv);
    const starts = (await partsOf(whole)).map(({ at }) => at);
    const record = (index: number) => whole.subarray(starts[index], starts[index + 1]);
    const head = whole.subarray(0, starts[1]);
    const [a, b, c, d, e, seal] = [1, 2, 3, 4, 5, 6].map(record) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    await expect(partsOf(Buffer.concat([head, a, b, c, d, e, seal]))).resolves.toHaveLength(7);
    await expect(partsOf(Buffer.concat([head, a, b, d, e, seal]))).rejects.toThrow(/its seal .* does not fit the 4/);
    await expect(partsOf(Buffer.concat([head, a, a, b, c, d, e, seal]))).rejects.toThrow(/is out of order/);
    await expect(partsOf(Buffer.concat([head, b, a, c, d, e, seal]))).rejects.toThrow(/is out of order/);
  });

  test("of a newer format is refused in one sentence", async () => {
    const newer = Buffer.concat([magic, encodeHeader({ ...about, format: backupFormat + 1, revision: 1n })]);
    await expect(partsOf(newer)).rejects.toThrow(
      `the backup has format ${backupFormat + 1}, and this program supports formats up to ${backupFormat}: use a newer program`,
    );
  });

  test("is refused without reading further if it is not a backup or has an impossible record length", async () => {
    await expect(partsOf(randomBytes(100))).rejects.toThrow("this is not a backup of orch");
    const huge = Buffer.alloc(9, 0xff);
    await expect(partsOf(Buffer.concat([magic, huge]))).rejects.toThrow(/claims 4294967295 bytes/);
  });
});

describe("a backup during writes", () => {
  const stores: [string, () => Promise<Kv>][] = [
    ["memory", async () => createMemoryKv({ historyChangesMax: 10 })],
    ["embedded", () => openEmbeddedKv({ folder: newPath(), syncMode: "none", historyChangesMax: 10 })],
  ];
  for (const [name, openKv] of stores) {
    test(`is the state of its revision (${name}), though history is compacted past it`, async () => {
      const operation = fc.record({ key: fc.integer({ min: 0, max: 40 }), value: fc.string(), remove: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { minLength: 1, maxLength: 60 }),
          fc.array(operation, { minLength: 1, maxLength: 120 }),
          async (before, during) => {
            const kv = await openKv();
            try {
              const model = new Map<string, { value: string; revision: bigint; created: bigint }>();
              const apply = async ({ key, value, remove }: (typeof before)[number]) => {
                const name = `/k/${key}/${"x".repeat(key)}`;
                const known = model.get(name);
                if (remove && known !== undefined) {
                  await kv.delete(name, known.revision);
                  model.delete(name);
                } else {
                  const revision = await kv.put(name, bytes(value), known?.revision ?? 0n);
                  model.set(name, { value, revision, created: known?.created ?? revision });
                }
              };
              for (const each of before) await apply(each);
              const chunks = backupChunks({ kv, about, pageEntries: 3 })[Symbol.asyncIterator]();
              const begun = chunks.next();
              const expected = new Map(model);
              const revision = await kv.revision();
              let writing: Promise<void> = Promise.resolve();
              for (const each of during) writing = writing.then(() => apply(each));
              const first = await begun;
              await writing;
              await kv.compact(await kv.revision());
              const all: Buffer[] = [first.value];
              for (let next = await chunks.next(); !next.done; next = await chunks.next()) all.push(next.value);
              const parts = await partsOf(Buffer.concat(all), 4_096);
              expect(parts[0]).toMatchObject({ header: { revision } });
              const found = entriesOf(parts).map((entry) => [
                entry.key,
                { value: Buffer.from(entry.value).toString(), revision: entry.revision, created: entry.created },
              ]);
              expect(new Map(found as [string, unknown][])).toEqual(expected);
            } finally {
              await kv.close();
            }
          },
        ),
        { numRuns: 30 },
      );
    });
  }
});

describe("a backup file", () => {
  test("is readable by its owner only, complete, and leaves no temporary file", async () => {
    const path = newPath();
    const kv = await sample();
    let told = 0;
    const made = await writeBackupFile(path, backupChunks({ kv, about }), { onBytes: (count) => (told = count) });
    expect(made).toMatchObject({ is: "seal", entries: 5, revision: 5n, bytes: statSync(path).size });
    expect(told).toBe(made.bytes);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith(".draft"))).toEqual([]);
    const parts: BackupPart[] = [];
    for await (const part of readBackupFile(path)) parts.push(part);
    expect(plain(entriesOf(parts))).toEqual(plain((await kv.range("")).entries));
  });

  test("does not replace an existing file unless that is requested", async () => {
    const path = newPath();
    writeFileSync(path, "mine");
    const kv = await sample();
    await expect(writeBackupFile(path, backupChunks({ kv, about }))).rejects.toThrow(/exists; choose another name/);
    expect(readFileSync(path, "utf8")).toBe("mine");
    await writeBackupFile(path, backupChunks({ kv, about }), { overwrite: true });
    expect(readFileSync(path).subarray(0, magic.length)).toEqual(magic);
  });

  test("does not follow a symbolic link: it is refused, even without a target, or replaced if that is requested", async () => {
    const kv = await sample();
    const [path, target] = [newPath(), newPath()];
    symlinkSync(target, path);
    await expect(writeBackupFile(path, backupChunks({ kv, about }))).rejects.toThrow(`${path} exists`);
    await writeBackupFile(path, backupChunks({ kv, about }), { overwrite: true });
    expect([lstatSync(path).isFile(), existsSync(target)]).toEqual([true, false]);
  });

  test("is refused, never reported as written, when another process creates its name meanwhile", async () => {
    const kv = await sample();
    const path = newPath();
    async function* racing() {
      yield* backupChunks({ kv, about });
      symlinkSync(newPath(), path);
    }
    await expect(writeBackupFile(path, racing())).rejects.toThrow(`${path} exists`);
  });

  test("is not created when the source ends early or sends damaged bytes", async () => {
    const path = newPath();
    const whole = await bytesOf(await sample());
    async function* broken(): AsyncGenerator<Buffer> {
      yield whole.subarray(0, 100);
      throw new Error("the connection broke");
    }
    await expect(writeBackupFile(path, broken())).rejects.toThrow("the connection broke");
    await expect(writeBackupFile(path, inPieces(whole.subarray(0, -1), 50))).rejects.toThrow(/is truncated/);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith(".draft"))).toEqual([]);
  });

  test("has the temporary files of killed processes removed after a day, and only those of its name", async () => {
    const path = newPath();
    const [old, fresh, other] = [`${path}.0123456789ab.draft`, `${path}.aaaaaaaaaaaa.draft`, `${path}.notes.draft`];
    for (const each of [old, fresh, other]) writeFileSync(each, "half");
    const longAgo = new Date(Date.now() - abandonedDraftMs - 60_000);
    for (const each of [old, other]) utimesSync(each, longAgo, longAgo);
    await writeBackupFile(path, backupChunks({ kv: await sample(), about }));
    expect([old, fresh, other].map((each) => existsSync(each))).toEqual([false, true, true]);
  });

  test("cannot be a folder, and a missing one is refused in one sentence", async () => {
    const read = async (path: string) => {
      for await (const _ of readBackupFile(path)) void _;
    };
    await expect(read(folder)).rejects.toThrow(`the backup ${folder} is not a file`);
    await expect(read(join(folder, "missing"))).rejects.toThrow(/cannot be read: there is no such file/);
  });
});
