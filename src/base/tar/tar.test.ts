import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockBytes, entryTypes, TarError, type TarHeader, writeHeader } from "./header.ts";
import { longNameBytesMax, paxBytesMax, readTar } from "./reader.ts";
import { type TarSource, writeTar } from "./writer.ts";

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function read(bytes: Buffer, size = 700): Promise<(TarHeader & { text: string })[]> {
  const found: (TarHeader & { text: string })[] = [];
  for await (const { body, ...header } of readTar(pieces(bytes, size)))
    found.push({ ...header, text: (await collect(body)).toString("latin1") });
  return found;
}

const header = (name: string, more: Partial<TarHeader> = {}): TarHeader => ({
  name,
  type: entryTypes.file,
  size: 0,
  mode: 0o644,
  mtime: 0,
  linkName: "",
  ...more,
});

const file = (name: string, text: string): TarSource => ({
  ...header(name, { size: Buffer.byteLength(text) }),
  body: [Buffer.from(text)],
});

describe("a written archive", () => {
  const names = fc
    .array(fc.stringMatching(/^[a-zA-Zä.-]{1,60}$/), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join("/"));
  const entries = fc.array(
    fc.record({
      name: names,
      body: fc.uint8Array({ maxLength: 1500 }),
      mode: fc.integer({ min: 0, max: 0o7777 }),
      mtime: fc.integer({ min: 0, max: 2 ** 33 }),
    }),
    { maxLength: 6 },
  );
  test("is read back unchanged, in chunks of any size", async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.integer({ min: 9, max: 2000 }), async (given, size) => {
        const sources = given.map(({ name, body, mode, mtime }) => ({
          ...header(name, { size: body.length, mode, mtime }),
          body: [body],
        }));
        const found = await read(await collect(writeTar(sources)), size);
        expect(found.map(({ name, text, mode, mtime }) => ({ name, text, mode, mtime }))).toEqual(
          given.map(({ name, body, mode, mtime }) => ({
            name,
            text: Buffer.from(body).toString("latin1"),
            mode,
            mtime,
          })),
        );
      }),
      { numRuns: 30 },
    );
  });

  test("is read by tar, and archives of tar in each of its formats are read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orch-tar-"));
    const long = `${"deep/".repeat(30)}${"n".repeat(120)}`;
    try {
      const written = await collect(writeTar([file("short", "one"), file(long, "two")]));
      execFileSync("tar", ["-xf", "-", "-C", folder], { input: written });
      expect(readFileSync(join(folder, "short"), "utf8") + readFileSync(join(folder, long), "utf8")).toBe("onetwo");
      for (const format of ["gnu", "pax", "posix"]) {
        const made = execFileSync("tar", [`--format=${format}`, "-C", folder, "-cf", "-", ...readdirSync(folder)]);
        const found = (await read(made)).filter(({ type }) => type === entryTypes.file);
        expect([format, found.map(({ name, text }) => [name, text]).sort()]).toEqual([
          format,
          [
            [long, "two"],
            ["short", "one"],
          ],
        ]);
      }
      writeFileSync(join(folder, "short"), "");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("may contain files too large for an octal size", async () => {
    const size = 2 ** 40;
    await expect(read(writeHeader(header("huge", { size })))).rejects.toThrow("ends in the middle of an entry");
    for await (const entry of readTar(pieces(writeHeader(header("huge", { size })), 512))) {
      expect(entry.size).toBe(size);
      break;
    }
  });

  test("must have files of the declared size", async () => {
    const shrunk = { ...header("a", { size: 3 }), body: [Buffer.from("x")] };
    const grown = { ...header("a", { size: 3 }), body: [Buffer.from("xxxx")] };
    await expect(collect(writeTar([shrunk]))).rejects.toThrow("a has shrunk while it was copied");
    await expect(collect(writeTar([grown]))).rejects.toThrow("a has grown while it was copied");
  });
});

describe("a hostile archive", () => {
  const pax = (text: string) => {
    const size = Buffer.byteLength(text);
    const body = Buffer.alloc(Math.ceil(size / blockBytes) * blockBytes);
    body.write(text);
    return Buffer.concat([writeHeader(header("pax", { type: entryTypes.pax, size })), body]);
  };
  const damaged = Buffer.from(writeHeader(header("a")));
  damaged[0] = 0x62;
  const cases: [why: string, bytes: Buffer][] = [
    ["a wrong checksum", damaged],
    ["a truncated header", writeHeader(header("a")).subarray(0, 100)],
    ["a truncated file", writeHeader(header("a", { size: 10 }))],
    ["an unbounded long name", writeHeader(header("x", { type: entryTypes.longName, size: longNameBytesMax + 1 }))],
    ["unbounded extended headers", writeHeader(header("x", { type: entryTypes.pax, size: paxBytesMax + 1 }))],
    ["unbounded global headers", writeHeader(header("x", { type: entryTypes.paxGlobal, size: 2 ** 40 }))],
    ["a record longer than its length", pax("5 path=x\n")],
    ["a record without a length", pax("path=x\n")],
    ["an invalid size", pax("11 size=-5\n")],
  ];
  for (const [why, bytes] of cases)
    test(`is refused: ${why}`, async () => {
      await expect(read(bytes)).rejects.toThrow(TarError);
    });

  test("causes at most an error, whatever it contains", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        await read(Buffer.from(bytes)).catch((error: unknown) => expect(error).toBeInstanceOf(TarError));
      }),
      { numRuns: 50 },
    );
  });
});
