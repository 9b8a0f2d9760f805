import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { admissionOrder } from "./order.ts";

test("docs/admission.md lists every plugin in order, whether it runs by default and whether it is built", () => {
  const page = readFileSync(new URL("../../docs/admission.md", import.meta.url), "utf8");
  const told = page
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, , byDefault]) => byDefault === "yes" || byDefault === "no")
    .map(([, name, byDefault, built]) => [name, byDefault, built]);
  const yes = (answer: boolean) => (answer ? "yes" : "no");
  expect(told).toEqual(
    admissionOrder.map(({ name, byDefault, create }) => [name, yes(byDefault), yes(create !== undefined)]),
  );
});
