import { expect, test } from "vitest";
import { repeats } from "./validation.ts";

test("every later equal value is a repeat", () => {
  expect([...repeats(["a", "b", "a", 1, "1", "a", "b"])]).toEqual([2, 5, 6]);
});
