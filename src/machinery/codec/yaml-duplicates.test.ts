import { expect, test } from "vitest";
import { yamlDuplicates, yamlDuplicatesMax } from "./yaml-duplicates.ts";

test.for([
  ["a: 1\nb: 2\n", []],
  ["a: 1\nb:\n  c: 1\n  c: 2\n", ['line 4: key "c" already set in map']],
  ["a: {x: 1, x: 2}\na: 3\n", ['line 1: key "x" already set in map', 'line 2: key "a" already set in map']],
  ['- a: 1\n  "a": 2\n- a: 1\n', ['line 2: key "a" already set in map']],
  ["a: &x {k: 1}\nb: *x\nb: *x\n", ['line 3: key "b" already set in map']],
  ["a: &x {k: 1}\nb:\n  <<: *x\n  <<: *x\n", []],
  ["a: [1, {k: 1, k: 2}]\n", ['line 1: key "k" already set in map']],
  ["a: 1\n---\na: 1\na: 1\n", []],
  ['{"a": 1,\n"a": 2}', ['line 2: key "a" already set in map']],
] as const)("%j has the duplicates %j", ([text, problems]) => {
  expect(yamlDuplicates(text)).toEqual(problems);
});

test("the number of problems is bounded", () => {
  expect(yamlDuplicates("a: 1\n".repeat(500))).toHaveLength(yamlDuplicatesMax);
});
