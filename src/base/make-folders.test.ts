import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolders } from "./make-folders.ts";

test("creates missing folders, returns the first of them, and uses existing ones", () => {
  const top = mkdtempSync(join(tmpdir(), "orch-folders-"));
  try {
    expect(makeFolders(join(top, "a/b/c"), 0o700)).toBe(join(top, "a"));
    expect(statSync(join(top, "a/b/c")).mode & 0o777).toBe(0o700);
    expect(makeFolders(join(top, "a/b"))).toBeUndefined();
    writeFileSync(join(top, "file"), "");
    expect(() => makeFolders(join(top, "file"))).toThrow("EEXIST");
    expect(() => makeFolders(join(top, "file/x"))).toThrow("ENOTDIR");
  } finally {
    rmSync(top, { recursive: true });
  }
});

test.skipIf(process.platform !== "linux")("a file system that refuses folders is an error, not an endless loop", () => {
  expect(() => makeFolders("/proc/orch/data")).toThrow("ENOENT");
});
