import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StatusError } from "../status/status.ts";
import { parseFieldSelector } from "./field-selector.ts";
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
    test(`parses ${JSON.stringify(text)}`, () => {
      expect(parseFieldSelector(text)).toEqual(wanted.map(([path, operator, value]) => ({ path, operator, value })));
    });
  }

  test.each(["metadata.name", "a>b", "a=b\\x", "a=b\\", "a=b=c", "a===b", "a=b,c", "\\,=\\a"])(
    "%j is a bad request",
    (text) => {
      expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: 400 }));
    },
  );

  test("has limits", () => {
    const terms = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=v`).join(",");
    expect(parseFieldSelector(terms(selectorTermsMax))).toHaveLength(selectorTermsMax);
    expect(() => parseFieldSelector(terms(selectorTermsMax + 1))).toThrow("at most 1000 terms");
    expect(() => parseFieldSelector(`a=${"b".repeat(selectorCharsMax)}`)).toThrow("at most 65536 characters");
  });

  test("parses every escaped value", () => {
    const path = fc.constantFrom("metadata.name", "status.phase", "a");
    const value = fc.oneof(fc.string(), fc.stringMatching(/^[\\,=ab]*$/));
    const requirement = fc.record({ path, operator: fc.constantFrom("=", "!="), value });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        const terms = requirements.map((one) => one.path + one.operator + one.value.replace(/[\\,=]/g, "\\$&"));
        expect(parseFieldSelector(terms.join(","))).toEqual(requirements);
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
