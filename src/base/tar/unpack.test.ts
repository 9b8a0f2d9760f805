import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { entryTypes, paddingOf, TarError, type TarHeader, writeHeader } from "./header.ts";
import { unpack } from "./unpack.ts";

const header = (more: Partial<TarHeader>): TarHeader => ({
  name: "d/x",
  type: entryTypes.file,
  size: 0,
  mode: 0o644,
  mtime: 0,
  linkName: "",
  ...more,
});
const block = (head: TarHeader, body: Buffer) => [writeHeader(head), body, Buffer.alloc(paddingOf(body.length))];
const pair = (key: string, value: string) => {
  const rest = ` ${key}=${value}\n`;
  const digits = String(rest.length + String(rest.length).length);
  return `${rest.length + digits.length}${rest}`;
};

/** Parts of names and links that once led out of a destination, and a few that do not. */
const part = fc.constantFrom(
  "d",
  "D",
  "..",
  ".",
  "",
  "l",
  "up",
  "out",
  "secret",
  "x\u0000",
  "…",
  "\\..",
  "a".repeat(120),
);
const path = fc
  .tuple(
    fc.constantFrom("d/", "d/up/", "", "/", "../", "d/../", "./d/"),
    fc.array(part, { minLength: 1, maxLength: 4 }),
  )
  .map(([start, parts]) => start + parts.join("/"));
const type = fc.constantFrom(...Object.values(entryTypes).filter((each) => !/[xgLK]/.test(each)), "7", "S", "V");

/** One entry as a hostile container may write it: named by its header, by GNU's extension or by a pax header. */
const entry = fc
  .record({
    name: path,
    linkName: path,
    type,
    body: fc.constantFrom("", "evil", "e".repeat(600)),
    namedBy: fc.constantFrom("header", "gnu", "pax"),
    claimedSize: fc.option(fc.constantFrom(0, 1, 2 ** 40), { nil: undefined, freq: 6 }),
  })
  .map(({ name, linkName, type: kind, body, namedBy, claimedSize }) => {
    const bytes = Buffer.from(body);
    const size = claimedSize ?? bytes.length;
    const before = {
      header: [],
      gnu: block(header({ type: entryTypes.longName, size: Buffer.byteLength(name) }), Buffer.from(name)),
      pax: paxBefore(pair("path", name) + pair("linkpath", linkName) + pair("size", String(size))),
    }[namedBy];
    const named = namedBy === "header" ? name : "d/harmless";
    return Buffer.concat([...before, ...block(header({ name: named, linkName, type: kind, size }), bytes)]);
  });
const paxBefore = (text: string) =>
  block(header({ type: entryTypes.pax, size: Buffer.byteLength(text) }), Buffer.from(text));

const archive = fc
  .tuple(fc.array(entry, { minLength: 1, maxLength: 8 }), fc.option(fc.nat(), { nil: undefined, freq: 4 }))
  .map(([entries, cut]) => {
    const whole = Buffer.concat([...entries, Buffer.alloc(1_024)]);
    return cut === undefined ? whole : whole.subarray(0, cut % whole.length);
  });

/** A destination with a link in it that leads out, and beside it a file that nothing may touch. */
function makeDestination() {
  const around = mkdtempSync(join(tmpdir(), "orch-unpack-"));
  const destination = join(around, "out");
  mkdirSync(destination);
  writeFileSync(join(around, "secret"), "untouched");
  symlinkSync("..", join(destination, "up"));
  return { around, destination, [Symbol.dispose]: () => rmSync(around, { recursive: true, force: true }) };
}

test("no archive writes outside the destination, or creates a link or a device (C39 in docs/security-rows.md)", async () => {
  await fc.assert(
    fc.asyncProperty(archive, async (bytes) => {
      using made = makeDestination();
      const { around, destination } = made;
      await unpack({ archive: pieces(bytes), prefix: "d", destination, warn: () => {} }).catch((error: unknown) => {
        // A folder may be where a file should be, and names may be too long: errors of the disk.
        if (!(error instanceof TarError) && !isDiskError(error)) throw error;
      });
      expect(readdirSync(around).sort()).toEqual(["out", "secret"]);
      expect(readFileSync(join(around, "secret"), "utf8")).toBe("untouched");
      rmSync(join(destination, "up")); // it was there before
      for (const name of readdirSync(destination, { recursive: true, encoding: "utf8" })) {
        const found = await lstat(join(destination, name));
        expect([name, found.isDirectory() || (found.isFile() && found.nlink === 1)]).toEqual([name, true]);
      }
    }),
    { numRuns: 200 },
  );
});

test("an archive of very many entries outside the destination is read to its end", async () => {
  using made = makeDestination();
  const { around, destination } = made;
  const one = writeHeader(header({ name: "../more" }));
  let warnings = 0;
  async function* many() {
    for (let count = 0; count < 20_000; count++) yield one;
  }
  const seen = await unpack({ archive: many(), prefix: "d", destination, warn: () => warnings++ });
  expect([seen, warnings, existsSync(join(around, "more"))]).toEqual([{ written: 0, outside: 20_000 }, 20_000, false]);
});

async function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}
const isDiskError = (error: unknown) =>
  error instanceof Error && "code" in error && /^(EISDIR|ENOTDIR|ENAMETOOLONG|EEXIST|ENOENT)$/.test(String(error.code));
