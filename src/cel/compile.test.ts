import { expect, test } from "vitest";
import type { Release } from "../base/release.ts";
import { finish } from "../base/time-slice.ts";
import { compile } from "./compile.ts";
import type { CelEnvironment } from "./contract.ts";
import { describeProblems } from "./problems.ts";
import { dyn, int, objectType, string, type Type, typeName } from "./types/types.ts";
import { jsonValue } from "./values/json.ts";
import { printValue } from "./values/print.ts";
import type { Value } from "./values/values.ts";

const environment: CelEnvironment = {
  release: "1.35",
  variables: new Map([
    ["d", dyn],
    ["i", int],
    ["s", string],
    ["a.b", int],
  ]),
};
const bindings: Record<string, Value> = {
  d: jsonValue({ n: 1, f: 1.5, t: "x", l: [1, 2, 3], m: { k: "v" }, z: null }),
  i: 7n,
  s: "héllo",
  "a.b": 3n,
};

function run(text: string): string {
  const { program, problems } = compile(text, environment);
  if (program === undefined) return describeProblems(text, problems);
  const value = printValue(program.evaluate(bindings).value);
  expect(inSteps(text)).toEqual(value.startsWith("error") ? value : `[${value}]`);
  return value;
}

/** Evaluates it after a loop, which makes the evaluation so long that it is interrupted; at once it has the same value and cost. */
function inSteps(text: string): string {
  const { program } = compile(`lists.range(2600).all(z, true) ? [${text}] : []`, environment);
  const steps = program!.evaluateSteps(bindings);
  expect(steps.next().done).toBe(false);
  const { value, cost } = finish(steps);
  const atOnce = program!.evaluate(bindings);
  expect([printValue(value), cost]).toEqual([printValue(atOnce.value), atOnce.cost]);
  return printValue(value);
}

const values: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "literals and operators": [
    ["1 + 2 * 3 - 4", "3"],
    ["-7 / 2", "-3"],
    ["-7 % 3", "-1"],
    ["9223372036854775807 + 1", "error: integer overflow"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["-(-9223372036854775808)", "error: integer overflow"],
    ["18446744073709551615u + 1u", "error: unsigned integer overflow"],
    ["1u - 2u", "error: unsigned integer overflow"],
    ["0x1F", "31"],
    ["1 / 0", "error: division by zero"],
    ["1 % 0", "error: modulus by zero"],
    ["1.0 / 0.0", "+Inf"],
    ["1e3", "1000.0"],
    [".5 + 1.0", "1.5"],
    ["2 < 3u && 2 < 2.5 && 2u <= 2", "true"],
    ["'a' + 'b' < 'b'", "true"],
    ["'\\uff5e' < '\\U0001F600'", "true"],
    ["b'a' + b'\\xff'", 'b"aÿ"'],
    ["r'\\n' + '''a'b'''", '"\\\\na\'b"'],
    ["'\\x41\\101\\u00e9'", '"AAé"'],
    ["!!true", "true"],
    ["--5", "5"],
    ["true ? 1 : 2", "1"],
    ["[1, 2] + [3]", "[1, 2, 3]"],
    ["2 in [1, 2]", "true"],
    ["'a' in {'a': 1}", "true"],
    ["{'a': 1}['a'] + {'b': 2}.b", "3"],
    ["[1, 2][2]", "error: index out of bounds: 2"],
    ["{'a': 1}['b']", "error: no such key: b"],
    ["{'a': 1, 'a': 2}", '{"a": 2}'],
    ["{'a': 1} == {'a': 1} && [1, 2] != [2, 1]", "true"],
    ["dyn(1) == 1.0 && dyn(1u) == 1", "true"],
    ["dyn('1') == 1", "false"],
    ["dyn(9223372036854775807) < 9223372036854775808.0 || dyn(9007199254740993) != 9007199254740992.0", "false"],
    ["dyn(18446744073709551615u) == 18446744073709551616.0 && dyn(1) < 1.5", "true"],
    ["--19 + ---1", "18"],
    ["type({}.transformMap(k, v, k + v))", "map"],
    ["a.b + 1", "4"],
  ],
  "errors that do not matter": [
    ["1 / 0 > 1 || true", "true"],
    ["true || 1 / 0 > 1", "true"],
    ["1 / 0 > 1 && false", "false"],
    ["1 / 0 > 1 && true", "error: division by zero"],
    ["false ? 1 / 0 : 2", "2"],
    ["[0, 1].exists(x, 1 / x == 1)", "true"],
    ["[0, 1].all(x, 1 / x == 1)", "error: division by zero"],
    ["[0, 2].all(x, 1 / x == 1)", "false"],
    ["[0, 1].exists_one(x, 1 / x == 1)", "error: division by zero"],
  ],
  macros: [
    ["[1, 2, 3].all(x, x > 0)", "true"],
    ["[1, 2, 3].exists_one(x, x > 2)", "true"],
    ["[1, 2, 3].map(x, x * x)", "[1, 4, 9]"],
    ["[1, 2, 3].map(x, x > 1, x * x)", "[4, 9]"],
    ["[1, 2, 3].filter(x, x % 2 == 1)", "[1, 3]"],
    ["{'a': 1, 'b': 2}.filter(k, k == 'a')", '["a"]'],
    ["[5, 6].transformList(i, v, i + v)", "[5, 7]"],
    ["{'a': 1}.transformMap(k, v, k + string(v))", '{"a": "a1"}'],
    ["['x'].transformMapEntry(i, v, {v: i})", '{"x": 0}'],
    ["[1].existsOne(i, v, i == 0 && v == 1)", "true"],
    ["[[1, 2], [3]].map(l, l.map(x, x + 1))", "[[2, 3], [4]]"],
    ["[1, 2].map(x, [3].map(x, x))", "[[3], [3]]"],
    ["has(d.n) && !has(d.x) && has(d.m.k)", "true"],
    ["has(d.x.y)", "error: no such key: x"],
    ["['b', 'a'].sortBy(x, x)", '["a", "b"]'],
  ],
  optionals: [
    ["d.?n.orValue(0)", "1"],
    ["d.?x.orValue(0)", "0"],
    ["d.?x.?y.hasValue()", "false"],
    ["d.m[?'k']", 'optional.of("v")'],
    ["[1][?3]", "optional.none()"],
    ["optional.of(1).optMap(x, x + 1)", "optional.of(2)"],
    ["optional.none().optMap(x, x)", "optional.none()"],
    ["optional.of(1).optFlatMap(x, optional.of(x + 1)).value()", "2"],
    ["optional.none().or(optional.of(1)).value()", "1"],
    ["optional.ofNonZeroValue('')", "optional.none()"],
    ["optional.none().value()", "error: optional.none() dereference"],
    ["[?d.?x, ?d.?n]", "[1]"],
    ["{?'a': d.?x, ?'b': d.?n}", '{"b": 1}'],
    ["[1, 2].first().value() + [1, 2].last().value()", "3"],
  ],
  conversions: [
    ["int('42') + int(1.9) + int(2u)", "45"],
    ["int('x' + '')", "error: type conversion error from 'x' to 'int'"],
    ["int(d.f * 1e19)", "error: integer overflow"],
    ["uint(-i)", "error: unsigned integer overflow"],
    ["double('1.5') + double(1)", "2.5"],
    ["string(1.5) + string(true) + string(1u)", '"1.5true1"'],
    ["string(1e6)", '"1e+06"'],
    ["string(b'\\xff' + b'')", "error: invalid UTF-8 in bytes, cannot convert to string"],
    ["bytes('é')", 'b"Ã©"'],
    ["type(1) == int && type([]) == list && type(type(1)) == type", "true"],
    ["size(s) == 5 && s.size() == 5 && size(b'ab') == 2 && size({}) == 0", "true"],
  ],
  times: [
    ["timestamp('2024-02-29T10:00:00Z') + duration('24h')", 'timestamp("2024-03-01T10:00:00Z")'],
    ["timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z')", 'duration("86400s")'],
    ["timestamp('2024-01-15T10:00:00Z').getHours('America/New_York')", "5"],
    ["timestamp('2024-01-15T10:00:00Z').getHours('Nowhere/Land')", "error: unknown time zone Nowhere/Land"],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error: timestamp overflow"],
    ["duration('90m').getHours()", "1"],
    ["duration('1.5s') < duration('1501ms')", "true"],
    ["string(timestamp(86400))", '"1970-01-02T00:00:00Z"'],
  ],
  texts: [
    ["s.charAt(1) + s.substring(3)", '"élo"'],
    ["s.charAt(6)", "error: index out of range: 6"],
    ["s.indexOf('l') + s.lastIndexOf('l')", "5"],
    ["s.indexOf('z')", "-1"],
    ["s.indexOf('l', -1)", "error: index out of range: -1"],
    ["'a,b,c'.split(',', 2)", '["a", "b,c"]'],
    ["'ab'.split('')", '["a", "b"]'],
    ["'ab'.replace('', '-')", '"-a-b-"'],
    ["'aaa'.replace('a', 'b', 2)", '"bba"'],
    ["'ÀB'.lowerAscii()", '"Àb"'],
    ["'\\u00a0 a\\t'.trim()", '"a"'],
    ["'%s %d %.1f %x %%'.format(['a', 1, 2.25, 255])", '"a 1 2.2 ff %"'],
    ["'%.2f %f'.format([1234567.125, -0.5])", '"1,234,567.12 -0.500000"'],
    ["'%.1f %.0f %f'.format(['NaN', 2.5, 'Infinity'])", '"NaN 2 ∞"'],
    ["'%f'.format([d.l[0]])", "error: error during formatting: %f does not take a value of this type"],
    ["'%e'.format([1250.0]) + '%e'.format([-0.05])", '"1.250000×10⁰³-5.000000×10⁻⁰²"'],
    ["'%e %.2e %.14e'.format([double('NaN'), double('-Infinity'), 1.0])", '"   NaN -∞  1.000000×10⁰⁰"'],
    ["'%s %s'.format([1e21, [1.5, 2.0, b'a']])", '"1e+21 [1.500000, 2.000000, b\\"a\\"]"'],
    ["'%s'.format([[1, 'a', {'b': 2u}]])", '"[1, \\"a\\", {\\"b\\":2}]"'],
    ["strings.quote('a\"\\n')", '"\\"a\\\\\\"\\\\n\\""'],
    ["'abc'.matches('^a.c$') && matches('x', 'x')", "true"],
    ["'a12b34'.findAll('[0-9]+', 1)", '["12"]'],
    ["d.t.matches(d.t + '(')", "error: error parsing regexp: error parsing regexp: missing closing ): `x(`"],
  ],
  lists: [
    ["[3, 1, 2].sort()", "[1, 2, 3]"],
    ["[1, 2].isSorted() && [2, 1].max() == 2 && [1.5].sum() == 1.5", "true"],
    ["[].map(x, 1).min()", "error: min called on empty list"],
    ["[1, 2, 1].distinct().reverse()", "[2, 1]"],
    ["[[1], [2]].flatten() + lists.range(2)", "[1, 2, 0, 1]"],
    ["[1, 2, 3].slice(1, 3)", "[2, 3]"],
    ["[1].slice(0, 2)", "error: cannot slice(0, 2), list is length 1"],
    ["sets.contains([1, 2], [2]) && sets.equivalent([1], [1, 1]) && !sets.intersects([1], [])", "true"],
    ["d.l.sum() + d.l.indexOf(3)", "8"],
  ],
  "libraries of the server": [
    ["url('https://[::1]:80/a b?k=1&k=2').getHostname()", '"::1"'],
    ["url('https://h/a b?k=1&k=2').getEscapedPath()", '"/a%20b"'],
    ["url('https://h/?k=a+b').getQuery()", '{"k": ["a b"]}'],
    ["isURL('a')", "false"],
    ["quantity('1Gi') == quantity('1024Mi')", "true"],
    ["quantity('1.5').add(1).compareTo(quantity('2500m'))", "0"],
    ["quantity('1.0').isInteger()", "false"],
    ["sign(quantity('-1'))", "-1"],
    ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"],
    ["string(cidr('10.1.2.3/8').masked()) + string(ip('::0:1'))", '"10.0.0.0/8::1"'],
    ["isIP('1.2.3') || isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0')", "false"],
    ["ip('127.0.0.1').isLoopback() && ip('8.8.8.8').isGlobalUnicast()", "true"],
    ["ip.isCanonical('2001:DB8::1')", "false"],
    ["format.dns1123Label().validate('A').hasValue()", "true"],
    ["format.named('labelValue').value().validate('a')", "optional.none()"],
    ["semver('1.10.0').isGreaterThan(semver('1.9.0')) && isSemver('v1', true) && !isSemver('01.2.3')", "true"],
    ["semver('1.2.3-rc.1').compareTo(semver('1.2.3'))", "-1"],
  ],
};
for (const [subject, rows] of Object.entries(values)) {
  for (const [text, value] of rows) test(`${subject}: ${text} is ${value}`, () => expect(run(text)).toBe(value));
}

const problems: readonly (readonly [string, string])[] = [
  ["self.x", "1:1: undeclared reference to 'self' (in container '')"],
  ["i + 1.0", "1:3: found no matching overload for '_+_' applied to '(int, double)'"],
  ["i == '1'", "1:3: found no matching overload for '_==_' applied to '(int, string)'"],
  ["s.foo()", "1:6: undeclared reference to 'foo' (in container '')"],
  ["s.startsWith(1)", "1:13: found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ["i.x", "1:2: type 'int' does not support field selection"],
  ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
  ["{'a': 1, 2: 3}", "1:10: expected type 'string' but found 'int'"],
  [
    "i.all(x, true)",
    "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["[1].all(1, true)", "1:9: Syntax error: argument must be a simple name"],
  ["has(s)", "1:5: Syntax error: invalid argument to has() macro"],
  ["s == null", "1:3: found no matching overload for '_==_' applied to '(string, null)'"],
  ["i > 0 ? 'a' : null", "1:7: found no matching overload for '_?_:_' applied to '(bool, string, null)'"],
  ["d[dyn(b'a')]", "1:6: invalid qualifier type: bytes"],
  ["! -", "1:3: Syntax error: unexpected '-'"],
  ["i >", "1:4: Syntax error: unexpected the end of the expression"],
  ["i = 1", "1:3: Syntax error: token recognition error at: '='"],
  ["1 +\n  x", "2:3: undeclared reference to 'x' (in container '')"],
  ["'a", "1:1: Syntax error: the quotes of a text are not closed"],
  ["'\\z'", "1:2: Syntax error: unable to unescape string"],
  ["9223372036854775808", "1:1: Syntax error: invalid int literal"],
  ["if", "1:1: Syntax error: reserved identifier: if"],
  ["d.in", "1:3: Syntax error: unexpected 'in', expecting the name of a field"],
  ["duration('1x')", "1:10: invalid duration argument"],
  ["timestamp('x')", "1:11: invalid timestamp argument"],
  ["int('a') == i", "1:5: type conversion error from 'a' to 'int'"],
  ["uint(-1) == 1u", "1:6: unsigned integer overflow"],
  ["string(b'\\xff') == s", "1:8: invalid UTF-8 in bytes, cannot convert to string"],
  ["s.matches('(')", "1:11: invalid matches argument"],
  ["'%d'.format(['a'])", "1:14: error during formatting: %d cannot be used on values of type 'string'"],
  ["'%s'.format([])", "1:13: index 0 out of range"],
  ["Foo{a: 1}", "1:4: undeclared reference to 'Foo' (in container '')"],
  ["math.greatest(1, 2)", "1:1: undeclared reference to 'math' (in container '')"],
  ["cel.bind(x, 1, x)", "1:1: undeclared reference to 'cel' (in container '')"],
  ["s.reverse()", "1:10: found no matching overload for 'reverse' applied to 'string.()'"],
];
for (const [text, problem] of problems) {
  test(`${JSON.stringify(text)} does not compile: ${problem}`, () => {
    expect(run(text).split("\n")[0]).toBe(`ERROR: <input>:${problem}`);
  });
}

test("a problem shows the line and points at the column", () => {
  expect(run("d.n > 1 &&\n\tsomething")).toBe(
    "ERROR: <input>:2:2: undeclared reference to 'something' (in container '')\n |  something\n | .^",
  );
});

const types: readonly (readonly [string, string])[] = [
  ["[1, 2].map(x, string(x))", "list(string)"],
  ["{'a': [1u]}", "map(string, list(uint))"],
  ["d.x", "dyn"],
  ["d.?x", "optional_type(dyn)"],
  ["type(1)", "type(int)"],
  ["[]", "list(dyn)"],
  ["true ? 1 : i", "int"],
  ["[1].first()", "optional_type(int)"],
  ["quantity('1')", "Quantity"],
  ["timestamp('2024-01-01T00:00:00Z') - duration('1s')", "google.protobuf.Timestamp"],
];
for (const [text, type] of types) {
  test(`the type of ${text} is ${type}`, () => {
    const { program } = compile(text, environment);
    expect(program && typeName(program.type)).toBe(type);
  });
}

test("a function is there from the version that has it", () => {
  const compiles = (text: string, release: Release) => compile(text, { ...environment, release }).program !== undefined;
  expect(compiles("semver('1.0.0').major() == 1", "1.32")).toBe(false);
  expect(compiles("semver('1.0.0').major() == 1", "1.33")).toBe(true);
  expect(compiles("[1].all(i, v, true)", "1.31")).toBe(false);
});

test("the language is that of the release", () => {
  const self = objectType(
    "T",
    new Map([
      ["namespace", string],
      ["__namespace__", string],
    ]),
  );
  const compiles = (text: string, release: Release) =>
    compile(text, { release, variables: new Map<string, Type>([...environment.variables, ["self", self]]) }).program;
  const parts: readonly (readonly [text: string, before: Release, since: Release])[] = [
    ["i < 1u", "1.27", "1.28"],
    ["i < 1.5", "1.27", "1.28"],
    ["self.namespace == s", "1.30", "1.31"],
  ];
  for (const [text, before, since] of parts)
    expect([text, compiles(text, before) !== undefined, compiles(text, since) !== undefined]).toEqual([
      text,
      false,
      true,
    ]);
  expect(compiles("self.__namespace__ == s", "1.30")).toBeDefined();
  expect(compiles("d.n < 1u", "1.27")?.evaluate(bindings).value).toBe(false);
  expect(compiles("'\\ud800'", "1.33")?.evaluate({}).value).toBe("\ufffd");
  expect(compiles("'\\ud800'", "1.34")).toBeUndefined();
});

test("estimates are those of the release of the server", () => {
  const costs = (text: string) => {
    const { program } = compile(text, environment);
    const max = (level: Release) => program!.estimate(() => 10, level).max;
    return (["1.28", "1.29", "1.30"] as const).map((level) => max(level) > 1e6);
  };
  expect(costs("[1, 2].map(x, x).sum() == 3")).toEqual([true, false, false]);
  expect(costs("s.split(',').all(x, x.contains('y'))")).toEqual([false, false, false]);
  expect(costs("url(s) == url(s)")).toEqual([true, true, false]);
  expect(costs("ip('::1') == ip('::2')")).toEqual([true, true, false]);
});

test("a program names the variables that it mentions", () => {
  const { program } = compile("[1].all(x, x > i) || a.b > 1", environment);
  expect([...(program?.variables ?? [])].sort()).toEqual(["a.b", "i"]);
});

test("a variable that is not bound is an error when it is read, and only then", () => {
  const { program } = compile("true || i > 1", environment);
  expect(program?.evaluate({}).value).toBe(true);
  const { program: reads } = compile("i > 1", environment);
  expect(printValue(reads!.evaluate({}).value)).toBe("error: no such attribute(s): i");
});
