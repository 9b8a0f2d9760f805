import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { admissionOrder } from "./order.ts";

test("docs/admission.md lists every plugin in order, and whether it runs by default", () => {
  const page = readFileSync(new URL("../../docs/admission.md", import.meta.url), "utf8");
  const told = page
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, , byDefault]) => byDefault === "yes" || byDefault === "no")
    .map(([, name, byDefault]) => [name, byDefault]);
  const yes = (answer: boolean) => (answer ? "yes" : "no");
  expect(told).toEqual(admissionOrder.map(({ name, byDefault }) => [name, yes(byDefault)]));
});
