import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kindLists } from "./kind-lists.ts";

/** Without what a formatter decides. */
const unformatted = (text: string) => text.replaceAll(/\s|,(?=\s*[)\]}>])/g, "");

test("the lists of kinds are those of the catalog", () => {
  for (const [path, text] of kindLists())
    expect(unformatted(readFileSync(path, "utf8")), `${path}: npm run golden prints it again`).toBe(unformatted(text));
});
