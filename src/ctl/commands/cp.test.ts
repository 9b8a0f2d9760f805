import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { entryTypes, type TarHeader, writeHeader } from "../../base/tar/header.ts";
import { archivePrefix, placeOf } from "../../base/tar/place.ts";
import { type TarSource, writeTar } from "../../base/tar/writer.ts";
import { parseFileSpec } from "../copy/file-spec.ts";
import { type NodeServer, openNodeServer } from "../streams/node-server.suite.ts";
import { runRemoteCtl } from "../streams/remote-session.suite.ts";

let node: NodeServer;
/** This machine's folder; beside it is what nothing may touch. */
let local: string;
let around: string;
beforeAll(async () => {
  node = await openNodeServer();
  await node.pod("a");
});
afterAll(() => node[Symbol.asyncDispose]());
beforeEach(() => {
  around = mkdtempSync(join(tmpdir(), "orch-cp-"));
  local = join(around, "local");
  mkdirSync(local);
  writeFileSync(join(around, "secret"), "untouched");
  return () => rmSync(around, { recursive: true, force: true });
});

const run = (line: string) => runRemoteCtl(line, { config: node.config, cwd: local });
const inContainer = (name: string, text?: string | Buffer) => {
  const path = join(node.folder, name);
  if (text !== undefined) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  return path;
};

describe("a copy to a container", () => {
  test("writes a file under its new name, or into an existing folder", async () => {
    writeFileSync(join(local, "f"), "text");
    expect(await run(`cp f a:${node.folder}/g`)).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(inContainer("g"), "utf8")).toBe("text");
    mkdirSync(inContainer("folder"));
    expect(await run(`cp f default/a:${node.folder}/folder/`)).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(inContainer("folder/f"), "utf8")).toBe("text");
  });

  test("writes a folder with its contents, links and modes", async () => {
    const long = `${"l".repeat(120)}/${"m".repeat(120)}`;
    mkdirSync(join(local, "d/empty"), { recursive: true });
    mkdirSync(join(local, "d", long), { recursive: true });
    writeFileSync(join(local, "d/run"), "x", { mode: 0o755 });
    writeFileSync(join(local, "d", long, "n"), Buffer.alloc(300_000, "z"));
    symlinkSync("run", join(local, "d/link"));
    expect(await run(`cp d a:${node.folder}/copied -c main`)).toMatchObject({ code: 0, err: "" });
    expect(statSync(inContainer("copied/run")).mode & 0o111).toBe(0o111);
    expect(statSync(inContainer("copied/empty")).isDirectory()).toBe(true);
    expect(readFileSync(inContainer("copied/link"), "utf8")).toBe("x");
    expect(statSync(inContainer(`copied/${long}/n`)).size).toBe(300_000);
  });

  test("fails with the message and the exit code of the container's tar", async () => {
    writeFileSync(join(local, "f"), "text");
    const { code, err } = await run(`cp f a:${node.folder}/nowhere/at/all`);
    expect([code, err]).toEqual([2, expect.stringMatching(/nowhere.*\n.*command terminated with exit code 2\n$/s)]);
  });
});

describe("a copy from a container", () => {
  test("writes a file or a folder of any size", async () => {
    const large = Buffer.alloc(3_000_000, "large ");
    inContainer("from/deep/file", large);
    inContainer("from/other", "other");
    expect(await run(`cp a:${node.folder}/from/deep/file one`)).toMatchObject({ code: 0 });
    expect(readFileSync(join(local, "one")).equals(large)).toBe(true);
    expect(await run(`cp a:from all`)).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(join(local, "all/deep/file")).equals(large)).toBe(true);
    expect(readFileSync(join(local, "all/other"), "utf8")).toBe("other");
    mkdirSync(join(local, "there"));
    await run(`cp a:from/other there`);
    expect(readFileSync(join(local, "there/other"), "utf8")).toBe("other");
  });

  test("of a missing file fails as the container's tar does", async () => {
    const { code, err } = await run("cp a:missing x");
    expect([code, existsSync(join(local, "x"))]).toEqual([2, false]);
    expect(err).toMatch(/missing.*command terminated with exit code 2\n$/s);
  });

  test("skips links with a warning", async () => {
    inContainer("linked/file", "x");
    symlinkSync("/etc/passwd", inContainer("linked/link"));
    const { code, err } = await run("cp a:linked out");
    expect([code, existsSync(join(local, "out/link"))]).toEqual([0, false]);
    expect(err).toBe(`warning: skipping symlink: "${join(local, "out/link")}" -> "/etc/passwd"\n`);
  });
});

describe("an archive of a hostile container (C39 in docs/security-rows.md)", () => {
  const header = (name: string, more: Partial<TarHeader> = {}): TarSource => ({
    name,
    type: entryTypes.file,
    size: 0,
    mode: 0o644,
    mtime: 0,
    linkName: "",
    ...more,
  });
  const file = (name: string): TarSource => ({ ...header(name, { size: 4 }), body: [Buffer.from("evil")] });
  const link = (name: string, linkName: string, type: string = entryTypes.symbolicLink) =>
    header(name, { type, linkName });
  /** In place of tar, the container sends this. */
  const hostile = async (entries: readonly TarSource[]) => {
    const chunks: Buffer[] = [];
    for await (const chunk of writeTar(entries)) chunks.push(chunk);
    node.behaviour = { command: ["cat", inContainer("hostile.tar", Buffer.concat(chunks))] };
    try {
      return await run("cp a:d out");
    } finally {
      node.behaviour = {};
    }
  };
  const outside: [why: string, entries: TarSource[]][] = [
    ["climbs", [file("../secret"), file("d/../../secret"), file("d/x/../../../secret"), file("..")]],
    ["is absolute", [file("/tmp/secret"), file("//d/secret")]],
    ["has entries outside the requested path", [file("secret"), file("dd/secret"), file("D/secret")]],
    ["writes through its own link", [link("d/l", "../.."), file("d/l/../../secret"), file("d/l")]],
    ["chains two links", [link("d/l", "."), link("d/l/m", "../.."), file("../secret")]],
    ["has a NUL in a name", [file(`d/${"x".repeat(110)}`), file("../secret\u0000d/x")]],
  ];
  for (const [why, entries] of outside)
    test(`that ${why} writes nothing outside the destination, and fails`, async () => {
      const { code, err } = await hostile([file("d/good"), ...entries]);
      expect([code, readFileSync(join(around, "secret"), "utf8")]).toEqual([1, "untouched"]);
      expect(err).toMatch(/is outside target destination, skipping/);
      expect(err).toMatch(/error: the archive from a is not the requested one: \d of its entries/);
      expect(readFileSync(join(local, "out/good"), "utf8")).toBe("evil");
    });

  test("has its links and devices skipped", async () => {
    const { code, err } = await hostile([
      link("d/symbolic", "../../secret"),
      link("d/hard", "../../secret", entryTypes.hardLink),
      header("d/device", { type: entryTypes.characterDevice }),
      header("d/pipe", { type: entryTypes.fifo }),
      header("d/sparse", { type: "S" }),
      file("d/\u001b[2Jname"),
    ]);
    expect(code).toBe(0);
    for (const name of ["symbolic", "hard", "device", "pipe", "sparse"])
      expect([name, existsSync(join(local, "out", name))]).toEqual([name, false]);
    expect(err.match(/warning: skipping/g)).toHaveLength(5);
    expect(err.includes("\u001b")).toBe(false);
  });

  test("is not written through an existing link", async () => {
    mkdirSync(join(local, "out"));
    symlinkSync(around, join(local, "out/up"));
    symlinkSync(join(around, "secret"), join(local, "out/file"));
    const { code } = await hostile([file("d/up/secret"), file("d/file")]);
    expect([code, readFileSync(join(around, "secret"), "utf8")]).toEqual([1, "untouched"]);
  });

  test("that claims a terabyte is read only as far as it goes", async () => {
    inContainer("huge.tar", Buffer.from(writeHeader(header("d/huge", { size: 2 ** 40 }))));
    node.behaviour = { command: ["cat", inContainer("huge.tar")] };
    const huge = await run("cp a:d out");
    node.behaviour = {};
    expect([huge.code, huge.err]).toEqual([1, "error: the archive ends in the middle of an entry\n"]);
  });
});

describe("the arguments", () => {
  test("name one local and one remote path", async () => {
    for (const [line, message] of [
      ["cp x", "source and destination are required"],
      ["cp x y", "one of src or dest must be a remote file specification"],
      ["cp a:x b:y", "one of src or dest must be a local file specification"],
      ["cp a: y", "filepath can not be empty"],
      ["cp :x y", "filespec must match the canonical format"],
      ["cp missing a:/y", "missing doesn't exist in local filesystem"],
    ])
      expect([line, (await run(line!)).err]).toEqual([line, expect.stringContaining(message!)]);
    expect(parseFileSpec("n/p:/x:y")).toEqual({ namespace: "n", pod: "p", path: "/x:y" });
  });

  test("are used as the paths in the archive, without leading slashes and dots", () => {
    for (const [path, prefix] of [
      ["/a/b/", "a/b"],
      ["./a", "a"],
      [".", ""],
      ["/", ""],
      ["../../a", "a"],
      ["a/../b", "b"],
    ])
      expect([path, archivePrefix(path!)]).toEqual([path, prefix]);
    expect(placeOf("./a/b/./c", "a/b")).toEqual(["c"]);
    expect(placeOf("a/b", "a/b")).toEqual([]);
    expect(placeOf("a/bc", "a/b")).toBeUndefined();
  });
});
