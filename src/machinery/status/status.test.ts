import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { required } from "./field-error.ts";
import { invalidObject, problemsToldMax, statusReasons } from "./status.ts";

const subject = { group: "apps", kind: "Deployment" };

test("an invalid object is told everything that is wrong with it", () => {
  const { code, message, details } = invalidObject(subject, "d", [required("a"), required("b", "for c")]);
  expect([code, message]).toEqual([422, 'Deployment.apps "d" is invalid: a: Required value; b: Required value: for c']);
  expect(details?.causes).toEqual([required("a"), required("b", "for c")]);
});

test("of very many problems the first are told, and how many there are beside them", () => {
  const errors = Array.from({ length: problemsToldMax + 7 }, (_, at) => required(`a[${at}]`));
  const { message, details } = invalidObject(subject, "d", errors);
  expect(details?.causes).toHaveLength(problemsToldMax);
  expect(message.endsWith(`a[${problemsToldMax - 1}]: Required value; and 7 more`)).toBe(true);
});

describe("docs/errors.md", () => {
  const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const cells = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));

  test("lists every reason of a Status with its code, and no other", () => {
    const told = cells
      .filter(([, , code]) => /^\d{3}$/.test(code ?? ""))
      .map(([, reason, code]) => [reason, Number(code)]);
    expect(told).toEqual(Object.entries(statusReasons));
  });

  test("lists every reason of a cause, and no other", () => {
    const source = readFileSync(new URL("./field-error.ts", import.meta.url), "utf8");
    const reasons = /type FieldReason =([^;]*);/.exec(source)?.[1]?.match(/\w+/g);
    const from = cells.findIndex(([, , head]) => head === "what is wrong with the field");
    const told = cells.slice(from + 2).flatMap(([, reason]) => (reason === undefined ? [] : [reason]));
    expect(told).toEqual(reasons);
  });
});
