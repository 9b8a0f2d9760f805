import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { compile } from "../compile.ts";
import type { Meter } from "../evaluate/frame.ts";
import { callCostMax, callItemsMax, evaluationWorkMax } from "../limits.ts";
import type { Type } from "../types/types.ts";
import { jsonValue } from "../values/json.ts";
import { Bytes, EvaluationError, hasType, Optional, type Value } from "../values/values.ts";
import type { Overload } from "./declaration.ts";
import { functionsOf } from "./libraries.ts";

/**
 * One call cannot be interrupted, so it is part of one turn of the event loop. The aim is 100 ms and a microsecond for a unit of cost or work on
 * a machine that has nothing else to do; on one that is shared the same takes several times as long. What is not bounded takes seconds.
 */
const callMsMax = 500;
const unitsOfMs = 200;
/** Below it a measurement says nothing. */
const noiseMs = 50;

const evaluated = (text: string): Value => {
  const { program, problems } = compile(text, { release: "1.35", variables: new Map() });
  if (program === undefined) throw new Error(problems.map(({ message }) => message).join());
  return program.evaluate({}).value;
};

const half = "a".repeat(150_000);
const numbers = Array.from({ length: 50_000 }, (_, at) => at);
const texts: readonly Value[] = [
  half + half,
  `b${half}`,
  `${half}b`,
  "a,".repeat(100_000),
  "\u{1f600}".repeat(50_000),
  "1".repeat(200_000),
  "[a-z]{1,90}".repeat(10),
  "a",
];
const lists: readonly Value[] = [
  jsonValue(numbers),
  jsonValue(numbers.map((at) => `k${at}`)),
  jsonValue(Array.from({ length: 3_000 }, (_, at) => "x".repeat(1_000) + at)),
  jsonValue(Array.from({ length: 200 }, () => numbers.slice(0, 200))),
  jsonValue([]),
];
const maps: readonly Value[] = [jsonValue(Object.fromEntries(numbers.map((at) => [`k${at}`, at])))];

/** Values of each type that are as bad as a request of some hundred kilobytes allows. */
const samples: Readonly<Record<string, readonly Value[]>> = {
  string: texts,
  int: [0n, 149_999n, 2n ** 63n - 1n, -1n],
  uint: [evaluated("1u"), evaluated("18446744073709551615u")],
  double: [0.1, 1e308, -1e-300],
  bool: [true],
  null: [null],
  bytes: [new Bytes(Buffer.alloc(300_000, 0x61))],
  duration: [evaluated("duration('1h')")],
  timestamp: [evaluated("timestamp('2024-01-01T00:00:00Z')")],
  list: lists,
  map: maps,
  type: [evaluated("int")],
  URL: [evaluated(`url('http://h/${"a".repeat(50_000)}?${"a=b&".repeat(10_000)}')`)],
  "net.IP": [evaluated("ip('fe80::1')")],
  "net.CIDR": [evaluated("cidr('10.0.0.0/8')")],
  Quantity: [evaluated("quantity('1Ki')")],
  Semver: [evaluated("semver('1.2.3')")],
  NamedFormat: [evaluated("format.dns1123Label()")],
};
const anything = [texts[0]!, texts[1]!, lists[0]!, lists[2]!, lists[3]!, maps[0]!, 1n];

function samplesOf(type: Type): readonly Value[] {
  if (type.kind === "dyn" || type.kind === "param") return anything;
  if (type.kind === "optional") return samplesOf(type.item).map((value) => new Optional(value));
  return samples[type.kind === "object" ? type.name : type.kind] ?? [];
}

/** Behind the second argument a long and a short text, or two numbers, are enough. */
const few = (values: readonly Value[], at: number): readonly Value[] =>
  at < 2 || values.length < 3 ? values : [values[0]!, values.at(-1)!];

function* combinations(lists: readonly (readonly Value[])[]): Iterable<readonly Value[]> {
  const [first, ...rest] = lists;
  if (first === undefined) return yield [];
  for (const value of first) for (const others of combinations(rest)) yield [value, ...others];
}

class Counter implements Meter {
  units = 0;
  readonly #patterns = new Set<string>();
  work(units: number): EvaluationError | undefined {
    this.units += units;
    return this.units > evaluationWorkMax ? new EvaluationError("too much work", true) : undefined;
  }
  items(items: number): EvaluationError | undefined {
    return items > callItemsMax ? new EvaluationError("too many items", true) : this.work(items);
  }
  isNewPattern(pattern: string): boolean {
    return this.#patterns.size < this.#patterns.add(pattern).size;
  }
}

/** How much longer one call takes than what is counted for it allows, in milliseconds. */
function excessOf({ call, cost, resultCost }: Overload, args: readonly Value[]): number {
  const spent = measureWork();
  const given = cost?.(args) ?? 1;
  // A negative cost would pay for other calls.
  if (!(given >= 0)) return Number.POSITIVE_INFINITY;
  // A call that costs too much is not made.
  if (given > callCostMax) return spent() - noiseMs;
  const meter = new Counter();
  const result = call(args, meter);
  const ms = spent();
  const units = given + meter.units + (result instanceof EvaluationError ? 0 : (resultCost?.(result) ?? 0));
  return ms - Math.min(callMsMax, noiseMs + units / unitsOfMs);
}

const shown = (value: Value): string =>
  typeof value === "bigint"
    ? String(value)
    : typeof value === "string"
      ? `${value.slice(0, 5)}…${value.slice(-5)}(${value.length})`
      : Object.prototype.toString.call(value);

/** Types of which only a request has values: their functions ask the authorizer, and are counted there. */
const ofRequests: ReadonlySet<string> = new Set(["Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"]);

describe("what is counted for a call bounds what it does, whatever its arguments are", () => {
  for (const [name, overloads] of functionsOf("1.35"))
    for (const overload of overloads) {
      const types = overload.params.map((type) => (type.kind === "object" ? type.name : type.kind));
      if (types.some((type) => ofRequests.has(type))) continue;
      test(`${name}(${types.join(", ")})`, () => {
        const args = overload.params.map((type, at) => few(samplesOf(type), at));
        expect(args.every((values) => values.length > 0)).toBe(true);
        for (const values of combinations(args)) {
          if (!values.every((value, at) => hasType(value, overload.params[at]!))) continue;
          // Others may run beside this test, and the engine compiles functions: the shortest of some runs counts.
          const isBounded = [1, 2, 3, 4, 5].some(() => excessOf(overload, values) <= 0);
          expect(isBounded, `${name} with ${values.map(shown).join(", ")}`).toBe(true);
        }
      });
    }
});
