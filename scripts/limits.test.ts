import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const rows = [
  ...readFileSync(new URL("docs/operations.md", root), "utf8").matchAll(
    /^\| `(\w+)` \| ([\d,]+)(?: bytes| ms)? \| `(src\/[\w/-]+\.ts)` \|/gm,
  ),
].map(([, name, value, file]) => ({ name: name ?? "", value: Number(value?.replaceAll(",", "")), file: file ?? "" }));

describe("docs/operations.md states the actual limits", () => {
  test("there is a table of them", () => expect(rows.length).toBeGreaterThan(50));
  for (const { name, value, file } of rows) {
    test(`${name} of ${file}`, async () => {
      const exports: Record<string, unknown> = await import(/* @vite-ignore */ new URL(file, root).href);
      // Limits that flags can change are members of `defaultLimits`.
      const defaults = (exports["defaultLimits"] ?? {}) as Record<string, unknown>;
      expect(exports[name] ?? defaults[name]).toBe(value);
    });
  }
});
