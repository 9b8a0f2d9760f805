import { expect, test } from "vitest";
import { spansOf } from "./spans.ts";

test("releases that follow each other are one span, in whatever order they are given", () => {
  expect(spansOf(["kubernetes-1.23", "kubernetes-1.24", "kubernetes-1.22", "kubernetes-1.21"], " to ")).toEqual([
    "kubernetes-1.21 to kubernetes-1.24",
  ]);
  expect(spansOf(["all", "1.9", "1.10", "1.11", "1.12", "none"], "…")).toEqual(["all", "1.9…1.12", "none"]);
});

test("few words, words with a gap and other words stay as they are", () => {
  for (const words of [["1.21", "1.22"], ["1.21", "1.22", "1.23", "1.25"], ["embedded", "memory"], []])
    expect(spansOf(words, " to ")).toEqual(words);
});
