/** Validation, defaults and rows of nodes. */

import { describe, expect, test } from "vitest";
import { inspect } from "./core.suite.ts";
import { Node } from "./node.ts";

const { make, problems, problemsOfUpdate, problemsOfStatus, cells } = inspect(Node);

test("an image of size 0 is printed without its size", () => {
  const images = [{ names: ["a"], sizeBytes: 0 }];
  expect(make({ status: { images } })["status"]).toMatchObject({ images: [{ names: ["a"] }] });
  expect(JSON.stringify(make({ status: { images } }))).not.toContain("sizeBytes");
});

test("taints in the deprecated annotation are validated", () => {
  const key = "scheduler.alpha.orch.io/taints";
  const found = (text: string) => problems({ metadata: { name: "x", annotations: { [key]: text } } });
  expect(found('[{"key":"a","effect":"NoSchedule"}]')).toEqual([]);
  expect(found('[{"key":"a b","effect":"Nope"}]')).toEqual([
    `FieldValueInvalid metadata.annotations.${key}[0].key`,
    `FieldValueNotSupported metadata.annotations.${key}[0].effect`,
  ]);
  expect(found("nope")).toEqual(["FieldValueInvalid metadata.annotations"]);
});

describe("a new node is refused where", () => {
  const cases = [
    {
      why: "taints are malformed or repeated",
      spec: {
        taints: [
          { key: "a", effect: "Nope" },
          { key: "", effect: "NoSchedule" },
          { key: "b", value: "c c", effect: "" },
          { key: "d", effect: "NoExecute" },
          { key: "d", effect: "NoExecute" },
        ],
      },
      found: [
        "FieldValueDuplicate metadata.taints[4]",
        "FieldValueInvalid metadata.taints[1].key",
        "FieldValueInvalid metadata.taints[2].value",
        "FieldValueNotSupported metadata.taints[0].effect",
        "FieldValueRequired metadata.taints[2].effect",
      ],
    },
    { why: "a pod CIDR is invalid", spec: { podCIDRs: ["10.0.0.0"] }, found: ["FieldValueInvalid spec.podCIDRs[0]"] },
    {
      why: "two pod CIDRs are of one family",
      spec: { podCIDRs: ["10.0.0.0/24", "10.0.1.0/24"] },
      found: ["FieldValueInvalid spec.podCIDRs"],
    },
    {
      why: "the second pod CIDR is invalid",
      spec: { podCIDRs: ["10.0.0.0/24", "fd00::"] },
      found: ["FieldValueInvalid spec.podCIDRs", "FieldValueInvalid spec.podCIDRs[1]", "InternalError spec.podCIDRs"],
    },
  ];
  for (const { why, spec, found } of cases) test(why, () => expect(problems({ spec })).toEqual(found));

  test("an annotation is malformed", () => {
    const annotated = (text: string) => ({
      metadata: { name: "x", annotations: { "scheduler.alpha.orch.io/preferAvoidPods": text } },
    });
    expect(problems(annotated("nope"))).toEqual(["FieldValueInvalid metadata.annotations.AvoidPods"]);
    expect(problems(annotated('{"preferAvoidPods":[{}]}'))).toEqual([
      "FieldValueRequired metadata.annotations.scheduler.alpha.orch.io/preferAvoidPods[0].PodSignature",
    ]);
    const fine = '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":true}}}]}';
    expect(problems(annotated(fine))).toEqual([]);
  });

  test("amounts are negative or malformed", () => {
    expect(problems({ status: { capacity: { cpu: "-1", pods: "1.5" } } })).toEqual([
      "FieldValueInvalid status.allocatable.cpu",
      "FieldValueInvalid status.allocatable.pods",
      "FieldValueInvalid status.capacity.cpu",
      "FieldValueInvalid status.capacity.pods",
    ]);
  });
});

test("podCIDR and podCIDRs are kept in step", () => {
  expect(make({ spec: { podCIDR: "10.1.0.0/24" } })["spec"]).toMatchObject({ podCIDRs: ["10.1.0.0/24"] });
  expect(make({ spec: { podCIDRs: ["10.1.0.0/24"] } })["spec"]).toMatchObject({ podCIDR: "10.1.0.0/24" });
});

test("allocatable defaults to the capacity", () => {
  expect(make({ status: { capacity: { cpu: "4" } } })["status"]).toMatchObject({ allocatable: { cpu: "4" } });
});

describe("once set", () => {
  const old = { spec: { podCIDR: "10.1.0.0/24", providerID: "a://b" } };
  const cases = [
    { field: "podCIDRs", spec: { ...old.spec, podCIDR: "10.2.0.0/24" } },
    { field: "providerID", spec: { ...old.spec, providerID: "c://d" } },
    { field: "externalID", spec: { ...old.spec, externalID: "e" } },
  ];
  for (const { field, spec } of cases) {
    test(`${field} stays`, () =>
      expect(problemsOfUpdate({ spec }, old)).toEqual([`FieldValueForbidden spec.${field}`]));
  }
  test("an empty field may be set", () => expect(problemsOfUpdate(old, {})).toEqual([]));
  test("a new value must be valid", () =>
    expect(problemsOfUpdate({ spec: { podCIDR: "10.1.0.0" } }, {})).toEqual(["FieldValueInvalid spec.podCIDRs[0]"]));
});

test("a status must not repeat an address", () => {
  const address = { type: "InternalIP", address: "10.0.0.1" };
  expect(problemsOfStatus({ status: { addresses: [address, address] } }, {})).toEqual([
    "FieldValueDuplicate status.addresses[1]",
  ]);
});

describe("a table shows", () => {
  const labels = { "node-role.orch.io/worker": "", "node-role.orch.io/": "", "orch.io/role": "db" };
  test("status and roles of the node", () => {
    const body = {
      metadata: { name: "x", labels, creationTimestamp: "2021-05-31T23:59:00Z" },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "10.5.0.1" }],
        nodeInfo: { orchletVersion: "v1.21.14", osImage: "Linux" },
      },
    };
    expect(cells(body)).toEqual([
      "x",
      "Ready,SchedulingDisabled",
      "db,worker",
      "60s",
      "v1.21.14",
      "10.5.0.1",
      "<none>",
      "Linux",
      "<unknown>",
      "<unknown>",
    ]);
  });
  test("Unknown for a node without conditions", () => expect(cells({})[1]).toBe("Unknown"));
});
