import { expect, test } from "vitest";
import { repeats } from "./repeats.ts";

test("a value is a repeat where an earlier one equals it, each time", () => {
  expect([...repeats(["a", "b", "a", 1, "1", "a", "b"])]).toEqual([2, 5, 6]);
});
