import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { problemsToldMax, StatusError } from "../status/status.ts";
import { decodePartial } from "./partial.ts";
import { sample } from "./sample-kind.suite.ts";

function refusal(value: unknown): string {
  try {
    finish(decodePartial(sample.codec.topology, value, "prefix: "));
  } catch (problem) {
    if (problem instanceof StatusError && problem.code === 400) return problem.message;
    throw problem;
  }
  return expect.unreachable("it was not refused");
}

describe("a configuration that does not fit is refused with the words that programs match on", () => {
  const part = (members: object) => ({ spec: { parts: [{ name: "c", ...members }] } });
  const cases: readonly { why: string; value: unknown; words: string }[] = [
    { why: "an unknown field", value: { spec: { a: 1 } }, words: ".spec.a: field not declared in schema" },
    {
      why: "an unknown field of an item has its key",
      value: part({ imagee: "x" }),
      words: '.spec.parts[name="c"].imagee: field not declared in schema',
    },
    {
      why: "several keys are sorted, and a default is one",
      value: part({ ports: [{ port: 80, nam: "x" }] }),
      words: '.spec.parts[name="c"].ports[port=80,protocol="TCP"].nam: field not declared in schema',
    },
    { why: "a list for a map", value: { spec: { colors: ["x"] } }, words: ".spec.colors: expected map, got &{[x]}" },
    {
      why: "a map for a list",
      value: { spec: { words: { b: 1, a: "x" } } },
      words: ".spec.words: expected list, got &{map[a:x b:1]}",
    },
    {
      why: "a number for a text",
      value: { spec: { colors: { r: 1 } } },
      words: ".spec.colors.r: expected string, got &value.valueUnstructured{Value:1}",
    },
    {
      why: "a list for a text",
      value: { spec: { colors: { r: ["a", null] } } },
      words:
        '.spec.colors.r: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", interface {}(nil)}}',
    },
    {
      why: "a text for a boolean",
      value: { spec: { paused: "yes" } },
      words: ".spec.paused: expected boolean, got &{yes}",
    },
    {
      why: "a text for a number",
      value: { spec: { replicas: "3" } },
      words: ".spec.replicas: expected numeric (int or float), got string",
    },
    {
      why: "an object for a quantity",
      value: part({ limits: { cpu: {} } }),
      words: '.spec.parts[name="c"].limits.cpu: expected any scalar, got &{map[]}',
    },
    {
      why: "an item of a list that is owned whole has its position",
      value: { spec: { atoms: ["a", 1] } },
      words: ".spec.atoms[1]: expected string, got &value.valueUnstructured{Value:1}",
    },
    {
      why: "two items of one key",
      value: { spec: { parts: [{ name: "a" }, { name: "a" }] } },
      words: '.spec.parts: duplicate entries for key [name="a"]',
    },
    {
      why: "an item twice in a set",
      value: { spec: { words: ["a", "a"] } },
      words: '.spec.words: duplicate entries for key [="a"]',
    },
    {
      why: "a null in a keyed list",
      value: { spec: { parts: [null] } },
      words: ".spec.parts: element 0: associative list with keys may not have a null element",
    },
    {
      why: "an object in a set",
      value: { spec: { words: ["a", {}] } },
      words: ".spec.words: element 1: associative list without keys has an element that's a map type",
    },
  ];
  for (const { why, value, words } of cases) test(why, () => expect(refusal(value)).toBe(`prefix: ${words}`));

  test("several problems have a line each", () => {
    expect(refusal({ speck: 1, spec: { a: 1, paused: 2, parts: [{ name: "c", b: 1 }] } })).toBe(
      [
        "prefix: errors:",
        "  .speck: field not declared in schema",
        "  .spec.a: field not declared in schema",
        "  .spec.paused: expected boolean, got &{2}",
        '  .spec.parts[name="c"].b: field not declared in schema',
      ].join("\n"),
    );
  });

  test("there are no more lines than a refusal has causes", () => {
    const spec = Object.fromEntries(Array.from({ length: problemsToldMax + 5 }, (_, at) => [`x${at}`, 1]));
    expect(refusal({ spec }).split("\n")).toHaveLength(1 + problemsToldMax);
  });
});
