import { describe, expect, test } from "vitest";
import type { Node } from "../../../api/core/v1/node.ts";
import type { NodeSelectorTerm } from "../../../api/core/v1/pod/scheduling.ts";
import { fitsNode } from "./affinity.ts";
import { tolerates, toleratesAll } from "./taints.ts";

const node: Node = { metadata: { name: "n", labels: { zone: "a", cores: "8" } } };
const expression = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });

describe("affinity", () => {
  const rows: { why: string; term: NodeSelectorTerm; fits: boolean }[] = [
    { why: "In", term: { matchExpressions: [expression("zone", "In", "a", "b")] }, fits: true },
    { why: "NotIn of an absent label", term: { matchExpressions: [expression("disk", "NotIn", "x")] }, fits: true },
    { why: "Exists", term: { matchExpressions: [expression("disk", "Exists")] }, fits: false },
    { why: "DoesNotExist", term: { matchExpressions: [expression("disk", "DoesNotExist")] }, fits: true },
    { why: "Gt", term: { matchExpressions: [expression("cores", "Gt", "4")] }, fits: true },
    { why: "Lt", term: { matchExpressions: [expression("cores", "Lt", "8")] }, fits: false },
    {
      why: "Gt of a value that is not a number",
      term: { matchExpressions: [expression("zone", "Gt", "4")] },
      fits: false,
    },
    { why: "the name of the node", term: { matchFields: [expression("metadata.name", "In", "n")] }, fits: true },
    { why: "another name", term: { matchFields: [expression("metadata.name", "In", "m")] }, fits: false },
    {
      why: "all expressions of one term",
      term: { matchExpressions: [expression("zone", "In", "a"), expression("disk", "Exists")] },
      fits: false,
    },
    { why: "an empty term", term: {}, fits: false },
  ];
  for (const { why, term, fits } of rows) {
    test(`${why}: ${fits}`, () => {
      const required = { nodeSelectorTerms: [term] };
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
      expect(fitsNode({ affinity }, node)).toBe(fits);
    });
  }
  test("the node selector must match as well", () => {
    expect([fitsNode({ nodeSelector: { zone: "a" } }, node), fitsNode({ nodeSelector: { zone: "b" } }, node)]).toEqual([
      true,
      false,
    ]);
  });
});

describe("taints", () => {
  const taint = { key: "k", value: "v", effect: "NoSchedule" };
  const rows = [
    { why: "key, value and effect", toleration: { key: "k", value: "v", effect: "NoSchedule" }, fits: true },
    { why: "another value", toleration: { key: "k", operator: "Equal", value: "w" }, fits: false },
    { why: "any value", toleration: { key: "k", operator: "Exists" }, fits: true },
    { why: "everything", toleration: { operator: "Exists" }, fits: true },
    { why: "another effect", toleration: { key: "k", operator: "Exists", effect: "NoExecute" }, fits: false },
  ];
  for (const { why, toleration, fits } of rows)
    test(`${why}: ${fits}`, () => expect(tolerates(toleration, taint)).toBe(fits));
  test("only taints of the given effects count", () => {
    expect([toleratesAll([], [taint], ["NoExecute"]), toleratesAll([], [taint], ["NoSchedule"])]).toEqual([
      true,
      false,
    ]);
  });
});
