import { expect, test } from "vitest";
import { mapBytesOf } from "./address-space.ts";

const row = (soft: string) =>
  `Limit  Soft Limit  Hard Limit  Units\nMax address space         ${soft}   unlimited   bytes\n`;

const cases = [
  { why: "no limit", arch: "x64", limits: row("unlimited"), isWide: true },
  { why: "a system that does not tell", arch: "arm64", limits: "", isWide: true },
  { why: "a limit, even a large one: others need it too", arch: "x64", limits: row("68719476736"), isWide: false },
  { why: "addresses of 32 bits", arch: "arm", limits: row("unlimited"), isWide: false },
];
for (const { why, arch, limits, isWide } of cases)
  test(`${why}: the data file is mapped ${isWide ? "once" : "step by step"}`, () => {
    expect(mapBytesOf(arch, limits) !== undefined).toBe(isWide);
  });
