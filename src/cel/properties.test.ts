import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonSchema } from "../machinery/json/json-schema.ts";
import { compile } from "./compile.ts";
import type { CelEnvironment } from "./contract.ts";
import { sizeBound } from "./schema/declared-type.ts";
import { schemaType } from "./schema/json-schema-type.ts";
import { int, string } from "./types/types.ts";
import { printValue } from "./values/print.ts";
import { EvaluationError, int64Max, int64Min } from "./values/values.ts";

const environment: CelEnvironment = {
  release: "1.35",
  variables: new Map([
    ["a", int],
    ["b", int],
    ["s", string],
  ]),
};
const int64 = fc.oneof(fc.bigInt({ min: int64Min, max: int64Max }), fc.constantFrom(0n, 1n, -1n, int64Max, int64Min));

test("arithmetic is exact within 64 bits, and an error beyond", () => {
  const operators: Readonly<Record<string, (a: bigint, b: bigint) => bigint | undefined>> = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => (b === 0n ? undefined : a / b),
    "%": (a, b) => (b === 0n ? undefined : a % b),
  };
  for (const [operator, compute] of Object.entries(operators)) {
    const { program } = compile(`a ${operator} b`, environment);
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const exact = compute(a, b);
        const { value } = program!.evaluate({ a, b });
        if (exact === undefined || exact > int64Max || exact < int64Min) expect(value).toBeInstanceOf(EvaluationError);
        else expect(value).toBe(exact);
      }),
    );
  }
});

test("a quoted text reads back as itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { program } = compile("strings.quote(s)", environment);
      const quoted = program!.evaluate({ s: text }).value as string;
      expect(compile(quoted, environment).program?.evaluate({}).value).toBe(text);
    }),
  );
});

test("parts of texts are those of their code points", () => {
  const { program } = compile("s.substring(a, b) + s.charAt(a) + string(s.size())", environment);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), fc.nat(20), (text, a, b) => {
      const points = [...text];
      const { value } = program!.evaluate({ s: text, a: BigInt(a), b: BigInt(b) });
      if (a > b || b > points.length) expect(value).toBeInstanceOf(EvaluationError);
      else expect(value).toBe(points.slice(a, b).join("") + (points[a] ?? "") + points.length);
    }),
  );
});

/** Pieces of which some combinations are expressions. */
const piece = fc.constantFrom(
  "a", "b", "s", "1", "0", "-1", "'x'", "1.5", "2u", "true", "null", "[", "]", "{", "}", "(", ")", ".", ",", ":", "?",
  "+", "-", "*", "/", "%", "==", "<", "&&", "||", "!", "in", "[1, 2]", "{'k': a}", ".all(x, x > a)", ".map(x, x)",
  ".size()", "has(s.x)", ".exists(x, x in [a])", "dyn(a)", ".?k", "[?0]", "optional.of(a)", "type(a)", "string(a)", "duration('1s')",
); // biome-ignore format: one line is easier to read

test("no text makes the compiler or an evaluation throw", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const { program } = compile(pieces.join(" "), environment);
      if (program === undefined) return;
      program.estimate(() => 10);
      printValue(program.evaluate({ a: 1n, b: 0n, s: "text" }).value);
    }),
    { numRuns: 2_000 },
  );
});

test("an evaluation costs no more than its estimate", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      s: { type: "string", maxLength: 20 },
      l: { type: "array", maxItems: 6, items: { type: "integer" } },
      t: { type: "array", maxItems: 6, items: { type: "string", maxLength: 10 } },
      m: { type: "object", maxProperties: 5, additionalProperties: { type: "string", maxLength: 10 } },
    },
  };
  const declared = schemaType(schema as JsonSchema, { prefix: "x-orch-", isResource: false, name: "self" })!;
  const rules = [
    "self.n + 1 > 2 && self.s.contains('a')",
    "self.l.all(x, self.l.exists(y, x == y || y > self.n))",
    "self.t.map(x, x.upperAscii() + self.s).size() > 2",
    "self.t.filter(x, x.startsWith('a')).join('-') == self.s",
    "self.t.exists_one(x, x.matches('^a+$'))",
    "self.l.transformList(i, v, i * v).sum() > self.n",
    "self.s.split('').all(c, c in self.t)",
    "self.l.map(x, [x, x + 1]).all(p, p[0] < p[1]) ? self.n > 1 : self.s == ''",
    "has(self.n) && self.?s.orValue('').replace('a', 'bb').size() > 3",
  ].map((rule) => compile(rule, { release: "1.35", variables: new Map([["self", declared.type]]) }).program!);
  const json = fc.record({
    n: fc.integer(),
    s: fc.string({ maxLength: 20 }),
    l: fc.array(fc.integer(), { maxLength: 6 }),
    t: fc.array(fc.string({ maxLength: 10 }), { maxLength: 6 }),
    m: fc.constant({}),
  });
  fc.assert(
    fc.property(json, fc.constantFrom(...rules), (value, program) => {
      const estimate = program.estimate(sizeBound(declared));
      // A number has the size 0 in estimates, and a comparison of numbers costs 1.
      expect(program.evaluate({ self: declared.read(value) }).cost).toBeLessThanOrEqual(estimate.max + 80);
    }),
  );
});
