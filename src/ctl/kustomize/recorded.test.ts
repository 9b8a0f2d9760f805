import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "./build.suite.ts";

const folder = join(import.meta.dirname, "recorded");

interface Recorded {
  readonly title: string;
  readonly files: readonly (readonly [path: string, content: string])[];
  readonly output: string;
}

/** "#### title", then "== path" before each file, then "==>" before what kustomize 5.8 prints. */
function recordedIn(text: string): Recorded[] {
  return text
    .split(/^#### /m)
    .slice(1)
    .map((part) => {
      const [head = "", output = ""] = part.split(/^==>\n/m);
      const [title = "", ...files] = head.split(/^== /m);
      return {
        title: title.trim(),
        files: files.map((file) => {
          const end = file.indexOf("\n");
          return [file.slice(0, end), file.slice(end + 1)] as const;
        }),
        output: output.replace(/(^|\n)\n$/, "$1"),
      };
    });
}

for (const name of readdirSync(folder)) {
  describe(`what kustomize 5.8 prints: ${name.replace(".txt", "")}`, () => {
    for (const { title, files, output } of recordedIn(readFileSync(join(folder, name), "utf8")))
      test(title, async () => {
        expect(await outcomeOf(files)).toEqual({ out: output });
      });
  });
}
