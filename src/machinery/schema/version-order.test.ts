import { expect, test } from "vitest";
import { compareVersions } from "./version-order.ts";

test("versions are ordered by stage, then by number, and other names alphabetically", () => {
  const ordered = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
    "v0",
  ];
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
});

test("a long text is not a version and is rejected quickly", () => {
  expect(compareVersions(`v${"1".repeat(1_000_000)}`, "v1alpha1")).toBe(1);
});
