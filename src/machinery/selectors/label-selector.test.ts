import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { StatusError } from "../status/status.ts";
import {
  createLabelSelector,
  type LabelRequirement,
  labelMap,
  labelSelectorFromObject,
  parseLabelSelector,
} from "./label-selector.ts";
import { selectorCharsMax, selectorTermsMax } from "./limits.ts";

const objects: Record<string, Record<string, string>> = {
  a: { env: "prod", tier: "web", n: "1" },
  b: { env: "prod", tier: "db", n: "2" },
  c: { env: "test", tier: "web", n: "x" },
  d: { n: "10" },
  e: { env: "", "example.com/x": "y" },
};
const matching = (text: string) => {
  const selector = parseLabelSelector(text);
  return Object.keys(objects)
    .filter((name) => selector.matches(labelMap(objects[name])))
    .join("");
};

describe("a label selector", () => {
  const cases: [text: string, matched: string][] = [
    ["", "abcde"],
    ["  ", "abcde"],
    ["env=prod", "ab"],
    ["env==prod", "ab"],
    [" env = prod , tier = web ", "a"],
    ["env!=prod", "cde"],
    ["nokey!=x", "abcde"],
    ["env in (prod,test)", "abc"],
    ["env in (,prod)", "abe"],
    ["env in ()", "e"],
    ["env in (prod,)", "abe"],
    ["env in (prod,,test)", "abce"],
    ["env notin (prod)", "cde"],
    ["tier notin ( web , db )", "de"],
    ["tier", "abc"],
    ["!tier", "de"],
    ["! tier", "de"],
    ["env=", "e"],
    ["env=,n", ""],
    ["n>1", "bd"],
    ["n<2", "a"],
    ["example.com/x=y", "e"],
    ["env=prod,env=test", ""],
    ["env=in", ""],
    ["in in (in)", ""],
    ["constructor", ""],
    ["!constructor", "abcde"],
    ["toString=x", ""],
    ["hasOwnProperty!=x", "abcde"],
  ];
  for (const [text, matched] of cases)
    test(`${JSON.stringify(text)} selects ${matched || "nothing"}`, () => expect(matching(text)).toBe(matched));

  const bad = [
    ",",
    "a,",
    ",a",
    "a,,b",
    "=",
    "=a",
    "a b=c",
    "a b",
    "a===b",
    "a=!b",
    "!a=b",
    "!",
    "!!a",
    "a in",
    "a in b",
    "a in (b",
    "a in (b c)",
    "a in b)",
    "a in (b,,)",
    "a in (,,)",
    "a in ((b))",
    "a ~ b",
    "a~b",
    "a=b tier=c",
    "a>b",
    "a>",
    "a<1.5",
    "a>99999999999999999999",
    "__proto__",
    "Exa_mple.com/x=y",
    "a/b/c",
    `${"k".repeat(64)}=v`,
    `a=${"v".repeat(64)}`,
    "a=b/c",
    "(",
    ")",
    "a)",
  ];
  test.each(bad)("%j is a bad request", (text) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400 }));
  });

  test("has limits", () => {
    const terms = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`).join(",");
    expect(parseLabelSelector(terms(selectorTermsMax)).requirements).toHaveLength(selectorTermsMax);
    expect(() => parseLabelSelector(terms(selectorTermsMax + 1))).toThrow("at most 1000 terms");
    expect(parseLabelSelector(`a${" ".repeat(selectorCharsMax - 1)}`).requirements).toHaveLength(1);
    expect(() => parseLabelSelector(`a${" ".repeat(selectorCharsMax)}`)).toThrow("at most 65536 characters");
    const values = Array.from({ length: 5000 }, (_, i) => `v${i}`);
    expect(parseLabelSelector(`a in (${values.join(",")})`).requirements[0]?.values).toHaveLength(5000);
  });

  test("is parsed in linear time", { timeout: 20_000 }, () => {
    for (const piece of ["(", ")", ",", "!", "=", "a", " ", "a,", "a in (", "!=", "a=", "in ", "\u0000"]) {
      const text = piece.repeat(Math.floor(selectorCharsMax / piece.length));
      expect(() => {
        try {
          parseLabelSelector(text);
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
        }
      }).not.toThrow();
    }
  });
});

const key = fc.constantFrom("a", "b", "in", "notin", "x.com/c", "constructor");
const value = fc.constantFrom("", "1", "2", "in", "A_b", "9223372036854775807", "9223372036854775808");
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom("=", "!="), values: fc.tuple(value) }),
  fc.record({
    key,
    operator: fc.constantFrom("in", "notin"),
    values: fc.uniqueArray(value, { minLength: 1 }).map((values) => values.sort()),
  }),
  fc.record({ key, operator: fc.constantFrom("exists", "!exists"), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom(">", "<"), values: fc.tuple(fc.constantFrom("0", "1", "2")) }),
) as fc.Arbitrary<LabelRequirement>;

/** The rules again, in the simplest form. */
function naive(labels: Record<string, string>, { key, operator, values }: LabelRequirement): boolean {
  const has = Object.hasOwn(labels, key);
  const actual = has ? (labels[key] as string) : "";
  const isInteger = /^-?\d+$/.test(actual) && BigInt.asIntN(64, BigInt(actual)) === BigInt(actual);
  switch (operator) {
    case "=":
    case "in":
      return has && values.includes(actual);
    case "!=":
    case "notin":
      return !has || !values.includes(actual);
    case "exists":
      return has;
    case "!exists":
      return !has;
    case ">":
      return has && isInteger && BigInt(actual) > BigInt(values[0] as string);
    case "<":
      return has && isInteger && BigInt(actual) < BigInt(values[0] as string);
  }
}

describe("label selectors in general", () => {
  test("print as text that parses to the same selector", () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 5 }), (requirements) => {
        const text = createLabelSelector(requirements).toString();
        expect(parseLabelSelector(text).requirements).toEqual(requirements);
        expect(parseLabelSelector(text).toString()).toBe(text);
      }),
    );
  });

  test("match according to the plain rules", () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 3 }), fc.dictionary(key, value), (requirements, labels) => {
        expect(createLabelSelector(requirements).matches(labelMap(labels))).toBe(
          requirements.every((each) => naive(labels, each)),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("refuse with a bad request and nothing else", () => {
    const soup = fc.array(
      fc.constantFrom("a", "b", "in", "notin", "(", ")", ",", "!", "=", "==", "!=", ">", "<", " ", "1"),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          soup.map((parts) => parts.join("")),
          fc.string(),
        ),
        (text) => {
          try {
            const selector = parseLabelSelector(text);
            expect(parseLabelSelector(selector.toString()).requirements).toEqual(selector.requirements);
          } catch (error) {
            if (!(error instanceof StatusError)) throw error;
            expect(error.code).toBe(400);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

test("a match costs as much as the labels, not as much as thousands of requirements", () => {
  const requirements = Array.from({ length: 8_000 }, (_, at) => ({ key: `absent${at}`, operator: "DoesNotExist" }));
  const selector = labelSelectorFromObject({ matchLabels: { env: "prod" }, matchExpressions: requirements });
  const labels = labelMap(objects["a"]);
  const spent = measureWork();
  const matched = Array.from({ length: 10_000 }, () => selector.matches(labels));
  expect(spent()).toBeLessThan(500); // 80 million tests of single requirements take seconds
  expect(matched.every((each) => each)).toBe(true);
});

describe("a selector of an object", () => {
  test("selects nothing when it is absent and everything when it is empty", () => {
    expect(labelSelectorFromObject(undefined).matches(new Map())).toBe(false);
    expect(labelSelectorFromObject(null).empty).toBe(false);
    expect(labelSelectorFromObject({}).matches(labelMap(objects["a"]))).toBe(true);
    expect(labelSelectorFromObject({}).empty).toBe(true);
  });

  test("is all of its labels and expressions", () => {
    const selector = labelSelectorFromObject({
      matchLabels: { env: "prod" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["db", "web"] },
        { key: "n", operator: "NotIn", values: ["2"] },
        { key: "tier", operator: "Exists" },
        { key: "x", operator: "DoesNotExist" },
      ],
    });
    expect(Object.keys(objects).filter((name) => selector.matches(labelMap(objects[name])))).toEqual(["a"]);
    expect(selector.toString()).toBe("env=prod,tier in (db,web),n notin (2),tier,!x");
  });

  test("of plain labels is all of them", () => {
    expect(labelSelectorFromObject({ matchLabels: { a: "b", c: "d" } }).toString()).toBe("a=b,c=d");
  });

  test("with an unknown operator is a bad request", () => {
    for (const operator of ["Near", "constructor", ""]) {
      expect(() => labelSelectorFromObject({ matchExpressions: [{ key: "a", operator }] })).toThrow(StatusError);
    }
  });
});
