import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { catalog } from "./catalog.ts";

test("the docs list every deprecated version, with the releases that deprecate and remove it", () => {
  const rows = [...catalog]
    .flatMap(({ group, version, resource, deprecated }) => {
      if (deprecated === undefined) return [];
      const { since, removed = "", replacement } = deprecated;
      const name = group === "" ? version : `${group}/${version}`;
      return [`| \`${name}\` | \`${resource}\` | ${since} | ${removed} | ${replacement ? `\`${replacement}\`` : ""} |`];
    })
    .sort();
  const docs = readFileSync(new URL("../../docs/deprecation.md", import.meta.url), "utf8");
  const documented = docs.split("\n").filter((line) => /^\| `[^`]+` \| `[^`]+` \| \d/.test(line));
  expect(documented.sort()).toEqual(rows);
});
