import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error: a script of the build, which has no types.
import { billOfMaterials, licensedPackages, licensesText } from "./licenses.mjs";

const isAllowed = new Set(["Apache-2.0", "MIT", "BSD-3-Clause", "BSD-2-Clause", "ISC", "0BSD", "PSF-2.0"]);

interface Licensed {
  readonly name: string;
  readonly license: string;
  readonly text: string | undefined;
}
const packages: readonly Licensed[] = licensedPackages();

test("every package that users get has a licence that allows it, and its text", () => {
  expect(packages.filter(({ license }) => !isAllowed.has(license)).map(({ name }) => name)).toEqual([]);
  const isHere = new Set(readdirSync("node_modules"));
  const withoutText = packages.filter(({ name, text }) => text === undefined && isHere.has(name.split("/")[0] ?? ""));
  // Binaries of LMDB for one machine each, and what says its licence in package.json only.
  expect(withoutText.map(({ name }) => name).filter((name) => !/^@(lmdb|msgpackr-extract)\//.test(name))).toEqual([
    "weak-lru-cache",
  ]);
  for (const { name } of packages) expect(licensesText()).toContain(`\n${name} `);
});

test("what the sources import and users do not install is named too", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: object };
  const names = packages.map(({ name }) => name);
  for (const name of [...Object.keys(dependencies), "preact"]) expect(names).toContain(name);
});

test("the bill of materials names the packages, and no address", () => {
  const bill = billOfMaterials() as { bomFormat: string; components: { name: string }[] };
  expect(bill.bomFormat).toBe("CycloneDX");
  expect(bill.components.map(({ name }) => name).sort()).toEqual(packages.map(({ name }) => name).sort());
  expect(JSON.stringify({ ...bill, $schema: "" })).not.toMatch(/https?:/);
});
