import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../src/base/duration.ts";
import { parseFieldSelector } from "../../src/machinery/selectors/field-selector.ts";
import { labelMap, parseLabelSelector } from "../../src/machinery/selectors/label-selector.ts";
import { StatusError } from "../../src/machinery/status/status.ts";
import { differences, questions } from "./compare.ts";
import { openPartner, whyNoPartners } from "./partner.ts";

interface Question {
  readonly type: "labels" | "fields" | "duration";
  readonly text: string;
  readonly labels?: Record<string, string>;
}

const some = (...texts: string[]) => fc.constantFrom(...texts);
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(""));
const listed = (item: fc.Arbitrary<string>, separator: fc.Arbitrary<string>) =>
  fc.tuple(fc.array(item, { maxLength: 3 }), separator).map(([items, between]) => items.join(between));

const space = some("", "", "", " ", "  ", "\t", "\n");
const key = some(
  "a",
  "b",
  "x.io/a",
  "env",
  "A-b_c",
  "in",
  "notin",
  "-a",
  "a/",
  "/a",
  "a/b/c",
  "1",
  "",
  "a.b",
  "é",
  "in in",
);
const value = some(
  "x",
  "y",
  "1",
  "10",
  "-5",
  "+5",
  "",
  "prod",
  "a,b",
  "in",
  "-x",
  "x-",
  "9223372036854775808",
  "1.0",
  " x ",
  "x y",
  "0x10",
  "(",
  ")",
);
const values = listed(joined(space, value, space), some(","));
const term = fc.oneof(
  key,
  joined(some("!"), space, key),
  joined(key, space, some("=", "==", "!=", ">", "<", "===", "=!", ">="), space, value),
  joined(key, some(" ", "", "\t"), some("in", "notin", "In"), space, some("("), values, some(")", ")", ")", "")),
);
const labels = fc.dictionary(some("a", "b", "env", "x.io/a", "in"), some("x", "y", "1", "10", "", "prod", "5"));
const labelQuestion = fc.record({
  type: fc.constant("labels" as const),
  text: joined(listed(term, some(",", ",", ", ", ",,", " ")), some("", "", "", ",")),
  labels,
});

const field = joined(
  some("metadata.name", "status.phase", "a", "", "a\\,b", "a\\=b", " a"),
  some("=", "==", "!=", "", "=!", ">", "===", "!=="),
  some("x", "", "a\\,b", "a\\=b", "a\\b", "a\\\\b", " x", "x=y", "x!y", "\\"),
);
const fieldQuestion = fc.record({
  type: fc.constant("fields" as const),
  text: joined(some("", "", ","), listed(field, some(",")), some("", "", ",")),
});

const digits = fc.string({ unit: some(..."0123456789"), maxLength: 21 });
const amount = joined(digits, some("", "", "."), digits, some("h", "m", "s", "ms", "us", "µs", "μs", "ns", "", "d"));
const durationQuestion = fc.record({
  type: fc.constant("duration" as const),
  text: joined(some("", "", "-", "+"), listed(amount, some(""))),
});

describe.skipIf(whyNoPartners !== undefined)(`selectors as the reference reads them ${whyNoPartners ?? ""}`, () => {
  for (const [what, question] of Object.entries({ labelQuestion, fieldQuestion, durationQuestion })) {
    it(`has the same answer to each ${what.replace("Question", "")} question`, async () => {
      await using partner = openPartner("selectors");
      const asked = questions<Question>(question, 20_000);
      expect(await differences(partner, asked, answer)).toEqual([]);
    });
  }
});

function answer({ type, text, labels }: Question): unknown {
  try {
    if (type === "labels") return { matches: parseLabelSelector(text).matches(labelMap(labels)) };
    if (type === "fields") return { terms: terms(text) };
  } catch (problem) {
    if (!(problem instanceof StatusError)) throw problem;
    return { error: true };
  }
  const nanos = parseDuration(text);
  return nanos === undefined ? { error: true } : { text: formatDuration(nanos) };
}

function terms(text: string): string[] | undefined {
  const found = parseFieldSelector(text).map(
    ({ path, operator, value }) => `${JSON.stringify(path)} ${operator === "!="} ${JSON.stringify(value)}`,
  );
  return found.length === 0 ? undefined : found.sort();
}
