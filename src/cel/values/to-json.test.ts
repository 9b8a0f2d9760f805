import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import { describeProblems } from "../problems.ts";
import { dyn } from "../types/types.ts";
import { jsonValue } from "./json.ts";
import { toJson } from "./to-json.ts";
import { EvaluationError } from "./values.ts";

const bindings = { d: jsonValue({ list: [1, 2.5], nested: { a: null } }) };

function run(text: string, makesPatches = true): unknown {
  const { program, problems } = compile(text, { release: "1.35", variables: new Map([["d", dyn]]), makesPatches });
  if (program === undefined) return describeProblems(text, problems);
  const { value } = program.evaluate(bindings);
  if (value instanceof EvaluationError) return value.message;
  const json = toJson(value);
  return json instanceof EvaluationError ? json.message : json;
}

test.for([
  ["Object{a: 1, b: Object.b{c: [Object.b.c{d: true}]}}", { a: 1, b: { c: [{ d: true }] } }],
  ["Object{a: d, ?b: optional.none(), ?c: optional.of('x')}", { a: { list: [1, 2.5], nested: { a: null } }, c: "x" }],
  ["[JSONPatch{op: 'add', path: '/a', value: duration('90s')}]", [{ op: "add", path: "/a", value: "90s" }]],
  ["timestamp('2024-01-02T03:04:05Z')", "2024-01-02T03:04:05Z"],
  ["[b'abc', bytes('')]", ["YWJj", ""]],
  ["9007199254740993", 9007199254740993n],
  ["{'__proto__': 1}", JSON.parse('{"__proto__":1}')],
  ["Object{a: 1} == Object{a: 1}", true],
  ["Object{a: 1} == Object{a: 2}", false],
  ["Object{a: 1}.a + 1", 2],
  ["has(Object{a: 1}.b)", false],
  ["jsonpatch.escapeKey('a/b~c')", "a~1b~0c"],
] as const)("%s is made and printed", ([text, json]) => {
  expect(run(text)).toEqual(json);
});

test.for([
  ["Object{a: Object.b{}}", 'unexpected type name "Object.b", expected "Object.a"'],
  ["Object{a: quantity('1')}", "has no form in JSON"],
  ["{1: 2}", "keys must be strings"],
  ["[1.0 / 0.0]", "NaN and infinity"],
  ["Other{a: 1}", "undeclared reference to 'Other'"],
  ["JSONPatch{other: 1}", "undefined field 'other'"],
  ["JSONPatch{op: 1}", "expected type 'string' but found 'int'"],
] as const)("%s is an error", ([text, problem]) => {
  expect(run(text)).toContain(problem);
});

test("objects can be made only where patches are", () => {
  expect(run("Object{}", false)).toContain("undeclared reference to 'Object'");
  expect(run("jsonpatch.escapeKey('a')", false)).toContain("undeclared reference");
});

test("a value that shares its parts many times is refused before it is unfolded", () => {
  // Each level doubles what it unfolds to, and costs the same.
  const levels = Array.from({ length: 40 }, (_, at) => `.map(x${at}, [x${at}, x${at}])`).join("");
  expect(run(`[1]${levels}`)).toContain("the value is larger than");
});
