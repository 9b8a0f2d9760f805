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
  // One has another place in its first release.
  const once = admissionOrder.filter(({ name }, index, all) => all.findIndex((place) => place.name === name) === index);
  expect(told).toEqual(once.map(({ name, byDefault }) => [name, yes(byDefault)]));
});
