import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { invalid, required } from "./field-error.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  echoedCharsMax,
  forbiddenRequest,
  invalidObject,
  messageCharsMax,
  notFound,
  problemsToldMax,
  StatusError,
  statusReasons,
} from "./status.ts";

const subject = { group: "apps", kind: "Deployment" };

test("the message about an invalid object lists all of its errors", () => {
  const { code, message, details } = invalidObject(subject, "d", [required("a"), required("b", "for c")]);
  expect([code, message]).toEqual([
    422,
    'Deployment.apps "d" is invalid: [a: Required value, b: Required value: for c]',
  ]);
  expect(details?.causes).toEqual([required("a"), required("b", "for c")]);
});

test("of very many errors the first ones are listed, with the number of the others", () => {
  const errors = Array.from({ length: problemsToldMax + 7 }, (_, at) => required(`a[${at}]`));
  const { message, details } = invalidObject(subject, "d", errors);
  expect(details?.causes).toHaveLength(problemsToldMax);
  expect(message.endsWith(`a[${problemsToldMax - 1}]: Required value, and 7 more]`)).toBe(true);
});

describe("long texts of a client are cut in the answer", () => {
  const long = "n".repeat(65_536);
  const cut = `${"n".repeat(echoedCharsMax)}…`;
  const refusals: Readonly<Record<string, StatusError>> = {
    notFound: notFound(subject, long),
    alreadyExists: alreadyExists(subject, long),
    conflict: conflict(subject, long, "changed"),
    forbidden: forbiddenRequest(subject, long, "no"),
    invalid: invalidObject(subject, long, [invalid("a", "b", "wrong")]),
  };
  for (const [what, refusal] of Object.entries(refusals)) {
    test(`${what}: the name is cut in the message and in the details`, () => {
      const { message, details } = refusal.toStatus();
      expect(message).toContain(`"${cut}"`);
      expect(message?.length).toBeLessThan(echoedCharsMax + 100);
      expect(details?.name).toBe(cut);
    });
  }

  test("the field of an error and its message are cut everywhere", () => {
    const status = invalidObject(subject, "d", [invalid(long, 1, long)]).toStatus();
    expect(status.details?.causes).toEqual([
      { reason: "FieldValueInvalid", field: cut, message: expect.stringMatching(/^Invalid value: 1: n+…$/) },
    ]);
    expect(status.details?.causes?.[0]?.message).toHaveLength(echoedCharsMax + 1);
    expect(status.message?.length).toBeLessThan(2 * echoedCharsMax + 100);
  });

  test("a long message is cut, and no more causes are sent than the message lists", () => {
    expect(badRequest("m".repeat(messageCharsMax + 1)).toStatus().message).toBe(`${"m".repeat(messageCharsMax)}…`);
    const causes = Array.from({ length: problemsToldMax + 1 }, () => ({ reason: "x" }));
    expect(new StatusError("Conflict", "c", { details: { causes } }).toStatus().details?.causes).toHaveLength(
      problemsToldMax,
    );
  });

  test("short texts are unchanged", () => {
    const name = "n".repeat(echoedCharsMax);
    const refusal = invalidObject(subject, name, [required(name, "for c")]);
    expect(refusal.toStatus()).toMatchObject({ message: refusal.message, details: refusal.details });
  });
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
