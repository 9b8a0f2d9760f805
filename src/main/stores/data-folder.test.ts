import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { levelOfFolder, openDataFolder, recordLevel, vocabularyOfFolder, withLevelOfFolder } from "./data-folder.ts";

let base = "";
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "orch-data-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

test("a folder records its vocabulary and refuses another", async () => {
  const folder = join(base, "a", "b");
  const first = await openDataFolder(folder, "kubernetes");
  expect(await openDataFolder(folder, "kubernetes")).toEqual(first);
  await expect(openDataFolder(folder, "orch")).rejects.toThrow(/start with --vocabulary=kubernetes/);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, "folder.json"))).mode & 0o777).toBe(0o600);
});

test("two starts at once agree on one vocabulary", async () => {
  const folder = join(base, "race");
  const outcomes = await Promise.allSettled([openDataFolder(folder, "orch"), openDataFolder(folder, "kubernetes")]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("the level of its objects is recorded, and used where no flag says another", async () => {
  const folder = join(base, "level");
  const flags = { "data-dir": folder, "emulated-version": levelDefault };
  expect(await withLevelOfFolder(flags, new Set())).toBe(flags);
  await openDataFolder(folder, "kubernetes");
  expect(await withLevelOfFolder(flags, new Set())).toBe(flags);
  expect(await recordLevel(folder, "1.21")).toBeUndefined();
  expect(await recordLevel(folder, "1.35")).toBe("1.21");
  expect(await withLevelOfFolder(flags, new Set())).toEqual({ ...flags, "emulated-version": "1.35" });
  expect(await withLevelOfFolder(flags, new Set(["emulated-version"]))).toBe(flags);
  expect(await vocabularyOfFolder(folder)).toBe("kubernetes");
  await writeFile(join(folder, "folder.json"), '{"vocabulary":"orch","level":"1.99"}');
  await expect(levelOfFolder(folder)).rejects.toThrow("holds objects of level 1.99, which this program does not have");
});

test("a damaged file is reported by name", async () => {
  const folder = join(base, "damaged");
  await openDataFolder(folder, "orch");
  await writeFile(join(folder, "folder.json"), "{");
  await expect(openDataFolder(folder, "orch")).rejects.toThrow(/folder.json is damaged/);
  await writeFile(join(folder, "folder.json"), '{"vocabulary":"osch"}');
  await expect(openDataFolder(folder, "orch")).rejects.toThrow(/folder.json is damaged/);
});

test.skipIf(process.getuid?.() === 0)("a folder that this user may not enter is named", async () => {
  const shut = join(base, "shut");
  await mkdir(join(shut, "data"), { recursive: true });
  await chmod(shut, 0o600);
  await expect(vocabularyOfFolder(join(shut, "data"))).rejects.toThrow(`this user may not enter the folder ${shut}`);
  await chmod(shut, 0o700);
});

test("a path that is not a folder is refused with the reason and the flag", async () => {
  const file = join(base, "file");
  await writeFile(file, "");
  await expect(openDataFolder(file, "orch")).rejects.toThrow(
    `the folder ${file} cannot be used: there is a file of this name; choose another --data-dir`,
  );
  expect(await vocabularyOfFolder(file)).toBeUndefined();
  await expect(openDataFolder(join(file, "below"), "orch")).rejects.toThrow("its path leads through a file");
  await expect(openDataFolder("", "orch")).rejects.toThrow("--data-dir must name a folder");
});
