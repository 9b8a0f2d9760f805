import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StatusError } from "../status/status.ts";
import { createFieldSelector, type FieldRequirement, parseFieldSelector } from "./field-selector.ts";
import { selectorCharsMax, selectorTermsMax } from "./limits.ts";

describe("a field selector", () => {
  const cases: [text: string, requirements: [string, string, string][]][] = [
    ["", []],
    [",", []],
    ["metadata.name=a", [["metadata.name", "=", "a"]]],
    ["metadata.name==a", [["metadata.name", "=", "a"]]],
    ["metadata.name!=a", [["metadata.name", "!=", "a"]]],
    ["a=b,", [["a", "=", "b"]]],
    [
      "a=b,c!=d",
      [
        ["a", "=", "b"],
        ["c", "!=", "d"],
      ],
    ],
    ["a=", [["a", "=", ""]]],
    ["=b", [["", "=", "b"]]],
    ["a=b c", [["a", "=", "b c"]]],
    ["a!b=c", [["a!b", "=", "c"]]],
    ["a=b\\,c\\=d\\\\e", [["a", "=", "b,c=d\\e"]]],
    ["a=!b", [["a", "=", "!b"]]],
  ];
  for (const [text, wanted] of cases) {
    test(`reads ${JSON.stringify(text)}`, () => {
      expect(parseFieldSelector(text).requirements).toEqual(
        wanted.map(([path, operator, value]) => ({ path, operator, value })),
      );
    });
  }

  test.each(["metadata.name", "a>b", "a=b\\x", "a=b\\", "a=b=c", "a===b", "a=b,c", "\\,=\\a"])(
    "%j is a bad request",
    (text) => {
      expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: 400 }));
    },
  );

  test("matches fields, and an absent field counts as empty", () => {
    const fields = new Map([["metadata.name", "a"]]);
    const matches = (text: string) => parseFieldSelector(text).matches(fields);
    expect(["metadata.name=a", "metadata.name!=b", "other=", "other!=x", ""].map(matches)).toEqual(Array(5).fill(true));
    expect(
      ["metadata.name=b", "metadata.name!=a", "other=x", "constructor!=", "metadata.name=a,metadata.name=b"].map(
        matches,
      ),
    ).toEqual(Array(5).fill(false));
  });

  test("knows the one value that a path must have", () => {
    const selector = parseFieldSelector("metadata.name=a,status!=b");
    expect([
      selector.exactValue("metadata.name"),
      selector.exactValue("status"),
      selector.exactValue("constructor"),
    ]).toEqual(["a", undefined, undefined]);
  });

  test("has limits", () => {
    const terms = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=v`).join(",");
    expect(parseFieldSelector(terms(selectorTermsMax)).requirements).toHaveLength(selectorTermsMax);
    expect(() => parseFieldSelector(terms(selectorTermsMax + 1))).toThrow("at most 1000 terms");
    expect(() => parseFieldSelector(`a=${"b".repeat(selectorCharsMax)}`)).toThrow("at most 65536 characters");
  });

  test("prints as text that reads as the same selector", () => {
    const requirement: fc.Arbitrary<FieldRequirement> = fc.record({
      path: fc.constantFrom("metadata.name", "status.phase", "a"),
      operator: fc.constantFrom("=", "!="),
      value: fc.oneof(fc.string(), fc.stringMatching(/^[\\,=ab]*$/)),
    });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        expect(parseFieldSelector(createFieldSelector(requirements).toString()).requirements).toEqual(requirements);
      }),
    );
  });

  test("is refused with a bad request and nothing else", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\\,=!a]*$/)), (text) => {
        try {
          parseFieldSelector(text);
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
        }
      }),
    );
  });
});
