/**
 * Matches labels with requirements. All requirements of one key are one test, and only keys that the labels have are looked at, so
 * that a match costs as much as the labels, not as much as a selector of thousands of requirements.
 */

import type { LabelRequirement } from "./label-selector.ts";

/** Few values as a list: a set of them takes five times the memory, and a selector may have very many keys. */
type Values = readonly string[] | Set<string>;
const listedMax = 8;

/** What the requirements of one key say together. */
interface KeyTest {
  /** Whether the labels must have the key. */
  isRequired: boolean;
  isForbidden: boolean;
  /** Only these values. Undefined: any. */
  allowed: Values | undefined;
  /** None of these values. Undefined: all may be. */
  refused: Values | undefined;
  /** The value is an integer above or below these. */
  above: bigint | undefined;
  below: bigint | undefined;
}

export function createMatcher(
  requirements: readonly LabelRequirement[],
): (labels: ReadonlyMap<string, string>) => boolean {
  const tests = new Map<string, KeyTest>();
  for (const requirement of requirements) {
    const test = tests.get(requirement.key) ?? newTest();
    tests.set(requirement.key, test);
    narrow(test, requirement);
  }
  const requiredCount = [...tests.values()].filter(({ isRequired }) => isRequired).length;
  return (labels) => {
    if (labels.size < requiredCount) return false;
    let found = 0;
    const isMet = (test: KeyTest | undefined, value: string | undefined) => {
      if (test === undefined || value === undefined) return true;
      if (test.isRequired) found++;
      return accepts(test, value);
    };
    if (labels.size < tests.size) {
      for (const [key, value] of labels) if (!isMet(tests.get(key), value)) return false;
    } else {
      for (const [key, test] of tests) if (!isMet(test, labels.get(key))) return false;
    }
    return found === requiredCount;
  };
}

const newTest = (): KeyTest => ({
  isRequired: false,
  isForbidden: false,
  allowed: undefined,
  refused: undefined,
  above: undefined,
  below: undefined,
});

function narrow(test: KeyTest, { operator, values }: LabelRequirement): void {
  const [first = ""] = values;
  test.isRequired ||= operator !== "!=" && operator !== "notin" && operator !== "!exists";
  switch (operator) {
    case "=":
    case "in": {
      const { allowed } = test;
      test.allowed = valuesOf(allowed === undefined ? values : values.filter((value) => includes(allowed, value)));
      return;
    }
    case "!=":
    case "notin":
      test.refused = joined(test.refused ?? [], values);
      return;
    case "exists":
      return;
    case "!exists":
      test.isForbidden = true;
      return;
    case ">": {
      const bound = parseInteger(first) ?? 0n; // it was already parsed as an integer
      test.above = test.above === undefined || bound > test.above ? bound : test.above;
      return;
    }
    case "<": {
      const bound = parseInteger(first) ?? 0n;
      test.below = test.below === undefined || bound < test.below ? bound : test.below;
      return;
    }
  }
}

const valuesOf = (values: readonly string[]): Values => (values.length > listedMax ? new Set(values) : values);

function joined(known: Values, more: readonly string[]): Values {
  if (!("has" in known)) return valuesOf([...known, ...more]);
  for (const value of more) known.add(value);
  return known;
}

const includes = (values: Values, value: string): boolean =>
  "has" in values ? values.has(value) : values.includes(value);

function accepts({ isForbidden, allowed, refused, above, below }: KeyTest, value: string): boolean {
  if (isForbidden || (refused !== undefined && includes(refused, value))) return false;
  if (allowed !== undefined && !includes(allowed, value)) return false;
  if (above === undefined && below === undefined) return true;
  const number = parseInteger(value);
  if (number === undefined) return false;
  return (above === undefined || number > above) && (below === undefined || number < below);
}

const integer = /^[+-]?[0-9]{1,64}$/;

/** Undefined: not an integer of 64 bits. */
export function parseInteger(text: string): bigint | undefined {
  if (!integer.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
