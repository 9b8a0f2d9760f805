/** Paths as printer columns and command lines write them, and what they find. */

import { describe, expect, test } from "vitest";
import { findByPath, pathVisitsMax } from "./evaluate.ts";
import { PathError, parseJsonPath, pathCharsMax } from "./parse.ts";
import { printFound } from "./print.ts";

const value = {
  metadata: { name: "a", labels: { "app.example.com/name": "web" } },
  spec: {
    replicas: 3,
    big: 9007199254740993n,
    list: [
      { name: "one", port: 80 },
      { name: "two", port: 443 },
    ],
    wide: [{ n: 9007199254740993n }],
    names: ["p", "q", "r"],
    nothing: null,
  },
};

describe("a path", () => {
  const cases: { path: string; finds: unknown[] }[] = [
    { path: ".metadata.name", finds: ["a"] },
    { path: "$.metadata.name", finds: ["a"] },
    { path: ".metadata.labels.app\\.example\\.com/name", finds: ["web"] },
    { path: ".metadata.labels['app.example.com/name']", finds: ["web"] },
    { path: ".spec.names[0]", finds: ["p"] },
    { path: ".spec.names[-1]", finds: ["r"] },
    { path: ".spec.names[0:2]", finds: ["p", "q"] },
    { path: ".spec.names[::2]", finds: ["p", "r"] },
    { path: ".spec.names[*]", finds: ["p", "q", "r"] },
    { path: ".spec.names[0,2]", finds: ["p", "r"] },
    { path: ".spec['replicas','names']", finds: [3, ["p", "q", "r"]] },
    { path: ".spec.list[*].name", finds: ["one", "two"] },
    { path: '.spec.list[?(@.name=="two")].port', finds: [443] },
    { path: ".spec.list[?(@.port>100)].name", finds: ["two"] },
    { path: ".spec.list[?(@.port<=80)].name", finds: ["one"] },
    { path: ".spec.list[?(@.name!='two')].name", finds: ["one"] },
    { path: ".spec.list[?(@.missing)].name", finds: [] },
    { path: ".spec.list[?(@.port)].name", finds: ["one", "two"] },
    { path: ".spec.wide[?(@.n==9007199254740992)].n", finds: [] },
    { path: ".spec.wide[?(@.n>9007199254740992)].n", finds: [9007199254740993n] },
    { path: "..port", finds: [80, 443] },
    { path: ".metadata.*", finds: [{ "app.example.com/name": "web" }, "a"] },
    { path: ".spec.missing.deeper", finds: [] },
    { path: ".spec.nothing", finds: [null] },
    { path: ".spec.nothing.deeper", finds: [] },
    { path: ".constructor.name", finds: [] },
    { path: ".__proto__", finds: [] },
    { path: ".", finds: [value] },
  ];
  for (const { path, finds } of cases)
    test(`${path} finds ${finds.length}`, () => expect(findByPath(parseJsonPath(path), value)).toEqual(finds));

  for (const path of [".a[", ".a[x]", ".a[?(@.b)", '.a[?(@.b=="c', "word", ".a[?(@.b=~1)]"])
    test(`${path} is not a path`, () => expect(() => parseJsonPath(path)).toThrow(PathError));

  for (const path of [".spec.names[7]", ".spec[0]", ".spec.list[?(@.name<3)]"])
    test(`${path} finds nothing that can be shown`, () =>
      expect(() => findByPath(parseJsonPath(path), value)).toThrow(PathError));

  test("that is too long is refused", () => {
    expect(() => parseJsonPath(".a".repeat(pathCharsMax))).toThrow(PathError);
  });

  test("that visits too many values fails", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 400; level++) deep = { a: deep, b: level };
    expect(pathVisitsMax).toBeLessThan(400 ** 3);
    expect(() => findByPath(parseJsonPath("..a..a..a..a"), deep)).toThrow(PathError);
  });
});

describe("printing", () => {
  const cases: [unknown, string][] = [
    [3, "3"],
    [1e6, "1000000"],
    [0.1, "0.1"],
    [1e21, "1e+21"],
    [1.5e-9, "1.5e-09"],
    [1234567.5, "1.2345675e+06"],
    [9007199254740993n, "9007199254740993"],
    [true, "true"],
    ["text", "text"],
    [null, "<no value>"],
    [[1, 2], "[1,2]"],
    [{ b: "<", a: 1 }, '{"a":1,"b":"\\u003c"}'],
  ];
  for (const [found, text] of cases) test(`${text}`, () => expect(printFound(found)).toBe(text));
});
