import { expect, test } from "vitest";
import { readFieldRequirements, readFieldSelector, readLabelRequirements, readLabelSelector } from "./selectors.ts";

test("selectors of requests become requirements with the operators of reviews", () => {
  expect(readFieldSelector("spec.nodeName=n1,status.phase!=Running").requirements).toEqual([
    { key: "spec.nodeName", operator: "In", values: ["n1"] },
    { key: "status.phase", operator: "NotIn", values: ["Running"] },
  ]);
  expect(readLabelSelector("a=b,c in (x,y),d!=e,f,!g").requirements).toEqual([
    { key: "a", operator: "In", values: ["b"] },
    { key: "c", operator: "In", values: ["x", "y"] },
    { key: "d", operator: "NotIn", values: ["e"] },
    { key: "f", operator: "Exists", values: [] },
    { key: "g", operator: "DoesNotExist", values: [] },
  ]);
});

test("a selector that cannot be read selects by nothing, and says why", () => {
  for (const { requirements, errors } of [readFieldSelector("((("), readLabelSelector("a in (")])
    expect([requirements, errors.length]).toEqual([[], 1]);
});

test("requirements of reviews are kept if they are understood", () => {
  const nodeName = { key: "spec.nodeName", operator: "In", values: ["n1"] };
  const fields = readFieldRequirements([
    nodeName,
    { ...nodeName, values: ["n1", "n2"] },
    { key: "a", operator: "Exists" },
    { key: "a", operator: "Like", values: ["b"] },
  ]);
  expect([fields.requirements, fields.errors.length]).toEqual([[nodeName], 3]);
  const labels = readLabelRequirements([
    { key: "a", operator: "Exists" },
    { key: "a", operator: "Exists", values: ["b"] },
    { key: "a", operator: "In", values: [] },
    { key: "a b", operator: "In", values: ["c"] },
    { key: "a", operator: "NotIn", values: ["b", "c"] },
    { key: "a", operator: "NotIn", values: ["not a value"] },
  ]);
  expect(labels.requirements.map(({ operator }) => operator)).toEqual(["Exists", "NotIn"]);
  expect(labels.errors).toHaveLength(4);
});
