import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeYaml } from "./yaml.ts";
import { encodeYaml } from "./yaml-print.ts";

const decode = (text: string) => decodeYaml(Buffer.from(text));

describe("printed YAML", () => {
  test("has sorted keys, flat lists, and quotes around what would read as something else", () => {
    expect(
      encodeYaml({
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          name: "a",
          creationTimestamp: "2021-01-01T00:00:00Z",
          fieldsV1: { "f:data": { ".": {} } },
          x: undefined,
        },
        data: { k: "v", n: "5", multi: "a\nb\n" },
        list: [{ b: [1], a: 9223372036854775807n }, null, []],
      }),
    ).toBe(`apiVersion: v1
data:
  k: v
  multi: |
    a
    b
  "n": "5"
kind: ConfigMap
list:
- a: 9223372036854775807
  b:
  - 1
- null
- []
metadata:
  creationTimestamp: "2021-01-01T00:00:00Z"
  fieldsV1:
    f:data:
      .: {}
  name: a
`);
  });
  test("has keys in natural order", () => {
    const keys = ["_", "a", "a-b", "a.b", "a2", "a10", "Z", "é", "1", "2", "10", ".", "a1b"];
    const printed = encodeYaml(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(printed.replaceAll(/"|: 0/g, "").split("\n")).toEqual([
      ...[".", "_", "1", "2", "10", "Z", "a", "a-b", "a.b", "a1b", "a2", "a10", "é", ""],
    ]);
  });
  test("prints a long key on a separate line", () => {
    const key = "k".repeat(129);
    expect(encodeYaml({ [key]: { a: [1] }, b: { [key]: "x" } })).toBe(`b:\n  ? ${key}\n  : x\n? ${key}\n: a:\n  - 1\n`);
  });
  test("prints very small and large fractions, and numbers beyond 64 bits, with an exponent", () => {
    expect(encodeYaml([0.5, 0.0001, 0.00001, 1e21])).toBe("- 0.5\n- 0.0001\n- 1e-05\n- 1e+21\n");
    expect(encodeYaml([123456.5, 1234567.5, -100000000.5, 1000000, 1e19, 1e20])).toBe(
      "- 123456.5\n- 1.2345675e+06\n- -1.000000005e+08\n- 1000000\n- 10000000000000000000\n- 1e+20\n",
    );
  });

  const long = "word ".repeat(20).trim();
  const scalars: readonly [why: string, text: string, printed: string][] = [
    ["a word", "word", "word"],
    ["nothing", "", '""'],
    ["a text that YAML 1.1 reads as true", "y", '"y"'],
    ["a number", "1e3", '"1e3"'],
    ["a number of another base", "0x1F", '"0x1F"'],
    ["a number of more than 64 bits", "0x10000000000000000", "0x10000000000000000"],
    ["a number with groups", "1_000", '"1_000"'],
    ["a number out of range", "1e999", "1e999"],
    ["a number to the base 60", "12:30:45", '"12:30:45"'],
    ["a day", "2021-1-1", '"2021-1-1"'],
    ["no day", "2021-2-30", "2021-2-30"],
    ["a moment", "2021-01-01T00:00:00Z", '"2021-01-01T00:00:00Z"'],
    ["a time without a zone", "2021-01-01T00:00:00", "2021-01-01T00:00:00"],
    ["a uid", "24aa0876-2bd1-4493-bfc2-118b87e37662", "24aa0876-2bd1-4493-bfc2-118b87e37662"],
    ["a schedule", "*/5 * * * *", "'*/5 * * * *'"],
    ["JSON", '{"a": [1]}', `'{"a": [1]}'`],
    ["a colon and a space", "a: b", "'a: b'"],
    ["a colon inside", "a:b", "a:b"],
    ["a hash behind a space", "a #b", "'a #b'"],
    ["a dash alone", "-", "'-'"],
    ["the end of a document", "...", "'...'"],
    ["spaces around", " a ", "' a '"],
    ["a quote inside", "it's", "it's"],
    ["surrounding quotes", "'a'", "'''a'''"],
    ["signs with a special meaning only when alone", "<<", "<<"],
    ["a tab", "a\tb", '"a\\tb"'],
    ["a control", "\u0007", '"\\a"'],
    ["beyond 16 bits", "\u{1f600}", '"\\U0001F600"'],
    ["another script", "äöü", "äöü"],
    ["lines", "a\nb\n", "|\n  a\n  b"],
    ["lines without an end", "a\nb", "|-\n  a\n  b"],
    ["lines with more than one end", "a\n\n", "|+\n  a\n"],
    ["lines with a leading indent", " a\nb", "|2-\n   a\n  b"],
    ["a line that ends with a space", "a \nb", '"a \\nb"'],
    ["a long line", long, `${long.slice(0, 79)}\n  ${long.slice(80)}`],
    ["a long line in quotes", `${long}:`, `'${long.slice(0, 79)}\n  ${long.slice(80)}:'`],
    ["a long line with a tab", `\t${long}`, `"\\t${long.slice(0, 79)}\n  ${long.slice(80)}"`],
  ];
  for (const [why, text, printed] of scalars) {
    test(`prints ${why}: ${JSON.stringify(text).slice(0, 40)}`, () => {
      expect(encodeYaml({ k: text })).toBe(`k: ${printed}\n`);
      expect(decode(encodeYaml({ k: text }))).toEqual({ k: text });
    });
  }
  test("reads back as the same value", () => {
    const words = fc.constantFrom(
      "y",
      "No",
      "017",
      "0o17",
      "1_0",
      "0b1",
      "1e3",
      ".5",
      "~",
      "null",
      "<<",
      "=",
      "- a",
      "a: b",
      "# c",
      "1:30",
      "2021-01-01",
      "!x",
      "&x",
      "*x",
      "",
      " a ",
      "a\nb",
      "\ta",
      "\u0085",
      "%",
      "@",
      "`",
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        words,
        fc.string(),
        fc.integer(),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(fc.oneof(words, fc.string()), tie("any"), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (any) => void expect(decode(encodeYaml(any))).toEqual(any)),
      { numRuns: 300 },
    );
  });
});
