/** Evaluations of a typical rule on one core, and what compiling it takes. */

import { compile } from "../../src/cel/compile.ts";
import { schemaType } from "../../src/cel/schema/json-schema-type.ts";
import { median, perSecond, type Row } from "../report.ts";

const leastPerSecond = 100_000;

const rule =
  "self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas && self.name.startsWith('web-') && self.ports.all(p, p > 0 && p < 65536)";
const schema = {
  type: "object",
  properties: {
    minReplicas: { type: "integer" },
    replicas: { type: "integer" },
    maxReplicas: { type: "integer" },
    name: { type: "string", maxLength: 63 },
    ports: { type: "array", maxItems: 10, items: { type: "integer" } },
  },
};
const object = { minReplicas: 1, replicas: 3, maxReplicas: 5, name: "web-shop", ports: [80, 443] };

export async function measureExpressions(quick: boolean): Promise<Row[]> {
  const declared = schemaType(schema, { prefix: "x-orch-", isResource: false, name: "self" });
  if (declared === undefined) throw new Error("the schema has no type");
  const make = () => {
    const { program } = compile(rule, { release: "1.35", variables: new Map([["self", declared.type]]) });
    if (program === undefined) throw new Error("the rule does not compile");
    return program;
  };
  const program = make();
  const rounds = quick ? 3 : 9;
  const evaluations = measure(rounds, 50_000, () => program.evaluate({ self: declared.read(object) }));
  const compilations = measure(rounds, 500, make);
  return [
    {
      what: "evaluate a typical rule, with CPU time of one core",
      measured: perSecond(evaluations),
      beside: "",
      budget: `>= ${perSecond(leastPerSecond)}`,
      met: evaluations >= leastPerSecond,
    },
    { what: "compile it", measured: perSecond(compilations), beside: "", budget: "" },
  ];
}

/** How often in a second of CPU time: what else the machine does must not count. */
function measure(rounds: number, times: number, work: () => unknown): number {
  const rates: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < times; at++) work();
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round > 0) rates.push(times / ((user + system) / 1e6));
  }
  return median(rates);
}
