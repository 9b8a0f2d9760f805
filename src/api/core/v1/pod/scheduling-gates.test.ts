import { expect, test } from "vitest";
import { measureWork } from "../../../../base/processor-time.suite.ts";
import type { NodeSelectorRequirement } from "./scheduling.ts";
import { validateNarrower } from "./scheduling-gates.ts";
import type { PodSpec } from "./spec.ts";

const requirements = (count: number): NodeSelectorRequirement[] =>
  Array.from({ length: count }, (_, at) => ({ key: `k${at}`, operator: "In", values: ["v"] }));

function podSpec(matchExpressions: NodeSelectorRequirement[]): PodSpec {
  const terms = { nodeSelectorTerms: [{ matchExpressions }] };
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms };
  return { containers: [], affinity: { nodeAffinity } };
}

test("requirements of a pod that is not scheduled yet may be added, and none may go", () => {
  const [two, three] = [podSpec(requirements(2)), podSpec(requirements(3))];
  expect(validateNarrower(three, two)).toEqual([]);
  expect(validateNarrower(two, three)).toHaveLength(1);
});

test("thousands of requirements are not compared with each other", () => {
  const before = podSpec(requirements(20_000));
  const after = podSpec(requirements(20_000).reverse());
  const worked = measureWork();
  expect(validateNarrower(after, before)).toEqual([]);
  // Comparing each with each takes minutes.
  expect(worked()).toBeLessThan(5_000);
});
