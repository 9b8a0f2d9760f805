import { describe, expect, test } from "vitest";
import { compile } from "../compile.ts";
import type { CelEnvironment } from "../contract.ts";
import { dyn } from "../types/types.ts";
import { jsonValue } from "../values/json.ts";
import { printValue } from "../values/print.ts";

const variables = {
  m: { a: 1, n: null, t: "text", o: { p: { q: [1, 2] } } },
  l: [3, 1, 2],
  s: "a text of some length",
  n: null,
  i: 5,
};

function evaluate(text: string): { readonly value: string; readonly cost: number } {
  const environment: CelEnvironment = {
    release: "1.35",
    variables: new Map(Object.keys(variables).map((name) => [name, dyn])),
  };
  const { program, problems } = compile(text, environment);
  if (program === undefined) return { value: `refused: ${problems[0]!.message}`, cost: 0 };
  const bindings = Object.fromEntries(Object.entries(variables).map(([name, json]) => [name, jsonValue(json)]));
  const { value, cost } = program.evaluate(bindings);
  return { value: printValue(value), cost };
}

describe("an evaluation costs what it costs in the reference", () => {
  const rows: readonly (readonly [expression: string, value: string, cost: number])[] = [
    // A path costs one, and each of its steps.
    ["m", '{"a": 1, "n": null, "t": "text", "o": {"p": {"q": [1, 2]}}}', 1],
    ["m.o.p.q[1]", "2", 5],
    ["m['a']", "1", 2],
    ["l[i - 4]", "1", 4],
    ["l[m.a]", "1", 3],
    ["m.zz", "error: no such key: zz", 2],
    ["m.zz.zz", "error: no such key: zz", 2],
    ["[i, i][0]", "5", 14],
    // A step that may be absent, and is, costs nothing.
    ["m.?zz.yy", "optional.none()", 1],
    ["m.?o.p", 'optional.of({"q": [1, 2]})', 3],
    ["l[?9]", "optional.none()", 1],
    ["m.?zz.orValue(3)", "3", 1],
    ["m[?'a'].or(optional.of(2))", "optional.of(1)", 2],
    // A test counts its steps only.
    ["has(m.o.p)", "true", 2],
    ["has(m.zz)", "false", 1],
    ["has((true ? m : n).a)", "true", 0],
    // A choice does not count the variables in it.
    ["true ? i : 1", "5", 0],
    ["i > 1 ? m.a : 1", "1", 3],
    // Constants are computed before.
    ["[1, 2, 3]", "[1, 2, 3]", 0],
    ["{'a': [1]}.a", "[1]", 2],
    ["duration('1s') < duration('2s')", "true", 1],
    ["[uint(1)].size()", "1", 1],
    ["i in [1, 5]", "true", 1],
    ["i in []", "false", 0],
    ["null in [null]", "true", 1],
    ["[1, 2].map(x, 'c')", '["c", "c"]', 5],
    // What makes a list or a map counts, even if an item fails.
    ["[i]", "[5]", 11],
    ["[m.zz]", "error: no such key: zz", 12],
    ["{'a': m.zz}", "error: no such key: zz", 32],
    // A call counts if its last argument fails, and does not if another one does.
    ["size(m.zz)", "error: no such key: zz", 3],
    ["i + m.zz", "error: no such key: zz", 4],
    ["m.zz + i", "error: no such key: zz", 2],
    // A call whose overload is not known before costs one.
    ["s + s == s", "false", 7],
    ["i in l", "false", 3],
    // Loops go on after an error, and ask once more after they are decided.
    ["l.exists(x, x == 3)", "true", 11],
    ["l.all(x, x > 5)", "false", 9],
    ["l.all(x, x.y > 1)", "error: no such key: y", 17],
    ["l.exists_one(x, x == 1)", "true", 11],
    ["l.exists_one(x, x.y)", "error: no such key: y", 8],
    ["l.map(x, x.y)", "error: no such key: y", 18],
    ["l.filter(x, x > 2)", "[3]", 21],
    ["{'a': 1}.transformMap(k, v, v)", '{"a": 1}', 5],
    ["l.transformMapEntry(k, v, {'a': v})", "error: insert failed: key a already exists", 69],
    // What is bound is evaluated when it is read.
    ["m.?a.optMap(x, 1)", "optional.of(1)", 5],
    ["m.?a.optMap(x, x + x)", "optional.of(2)", 10],
  ];
  for (const [expression, value, cost] of rows)
    test(`${expression} costs ${cost}`, () => expect(evaluate(expression)).toEqual({ value, cost }));
});

describe("members of any value", () => {
  const rows: readonly (readonly [why: string, expression: string, value: string])[] = [
    ["a test of a scalar is false", "has(i.x) || has(n.x) || has(s.x)", "false"],
    ["a test of a list is an error", "has(l.x)", "error: unsupported index type 'string' in list"],
    ["a step into a scalar is an error", "i.x", "error: no such key: x"],
    [
      "an optional step into a scalar is none",
      "[dyn(i.?x), dyn(n.?x), s[?0], n[?'a']]",
      "[optional.none(), optional.none(), optional.none(), optional.none()]",
    ],
    ["an index into an optional of a scalar is none", "m.?a['x']", "optional.none()"],
    ["null is a value", "[m.n, m['n']].all(x, x == null) && m.exists(k, v, v == null)", "true"],
    ["an optional may hold null", "optional.of(n)", "optional.of(null)"],
    ["an index may be of any number type", "[l[0u], l[1.0], dyn([7, 8][dyn(1u)])]", "[3, 1, 8]"],
    ["a fraction is not an index", "l[1.5]", "error: unsupported index value 1.5 in list"],
    ["the last of several values of a key counts", "{'a': 1, 'a': 2}", '{"a": 2}'],
    ["keys of other number types are found", "{1: 'a'}[dyn(1u)] + {1u: 'b'}[dyn(1.0)]", '"ab"'],
    ["a field whose name is not an identifier", "{'a-b': 1}.`a-b`", "1"],
    ["a name with a dot before it is not that of a loop", "[1].all(i, .i == 5)", "true"],
    ["a list of different types is refused", "[1, i]", "refused: expected type 'int' but found 'dyn'"],
    ["so is a map", "{'a': 1, 'b': i}", "refused: expected type 'int' but found 'dyn'"],
    ["arguments of format may be different", "'%d %s'.format([1, i])", '"1 5"'],
    ["addresses have types", "type(ip('1.2.3.4')) == net.IP && type(cidr('1.2.3.0/24')) == net.CIDR", "true"],
    [
      "a number is not a duration",
      "duration(3)",
      "refused: found no matching overload for 'duration' applied to '(int)'",
    ],
  ];
  for (const [why, expression, value] of rows)
    test(`${why}: ${expression}`, () => expect(evaluate(expression).value).toBe(value));
});
