import { expect, test } from "vitest";
import { required } from "./field-error.ts";
import { invalidObject, problemsToldMax } from "./status.ts";

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
