import { expect, test } from "vitest";
import { aggregate } from "./aggregate.ts";

test.each([
  { why: "one message stands alone", messages: ["a"], text: "a" },
  { why: "several are a list", messages: ["a", "b"], text: "[a, b]" },
  { why: "a repeated one is told once", messages: ["a", "b", "a"], text: "[a, b]" },
  { why: "equal ones are one", messages: ["a", "a"], text: "a" },
  { why: "those that are left out are counted", messages: ["a"], more: 2, text: "[a, and 2 more]" },
])("$why: $text", ({ messages, more, text }) => {
  expect(aggregate(messages, more)).toBe(text);
});
