import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url);
/** A row may have several limits of one file: "`a`, `b` | 1,000, 64 bytes". */
const rows = [
  ...readFileSync(new URL("docs/operations.md", root), "utf8").matchAll(
    /^\| (`\w+`(?:, `\w+`)*) \| ([\d,]+(?: bytes| ms)?(?:, [\d,]+(?: bytes| ms)?)*) \| `(src\/[\w/-]+\.ts)` \|/gm,
  ),
].flatMap(([, names = "", values = "", file = ""]) => {
  const numbers = values.split(", ").map((value) => Number(value.replaceAll(/,| bytes| ms/g, "")));
  return names.split(", ").map((name, at) => ({ name: name.replaceAll("`", ""), value: numbers[at], file }));
});

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
