import { describe } from "vitest";
import { checkContainer } from "../pod.suite.ts";

describe("the environment of a container", () => {
  const from = (valueFrom: object, rest: object = {}) => ({ env: [{ name: "A", valueFrom, ...rest }] });
  const field = (fieldPath: string) => from({ fieldRef: { fieldPath } });
  const key = { name: "m", key: "k" };
  checkContainer([
    {
      why: "has names",
      given: { env: [{ name: "" }, { name: "1A" }, { name: "a.b-c_D" }] },
      expected: ["Invalid env[1].name", "Required env[0].name"],
    },
    {
      why: "has a value or a source",
      given: from({ secretKeyRef: key }, { value: "v" }),
      expected: ["Invalid env[0].valueFrom"],
    },
    { why: "has a source", given: from({}), expected: ["Invalid env[0].valueFrom"] },
    {
      why: "has one source",
      given: from({ secretKeyRef: key, configMapKeyRef: key }),
      expected: ["Invalid env[0].valueFrom"],
    },
    {
      why: "is from keys with names",
      given: from({ secretKeyRef: { name: "A", key: "" } }),
      expected: ["Invalid env[0].valueFrom.secretKeyRef.name", "Required env[0].valueFrom.secretKeyRef.key"],
    },
    { why: "may be from the pod", given: field("status.podIP"), expected: [] },
    { why: "may be from what the node was called", given: field("spec.host"), expected: [] },
    { why: "may be from a label", given: field("metadata.labels['a/b']"), expected: [] },
    {
      why: "is from a label that there can be",
      given: field("metadata.labels['a b']"),
      expected: ["Invalid env[0].valueFrom.fieldRef"],
    },
    {
      why: "is not all labels",
      given: field("metadata.labels"),
      expected: ["NotSupported env[0].valueFrom.fieldRef.fieldPath"],
    },
    {
      why: "is not from anywhere",
      given: field("spec.secrets"),
      expected: ["Invalid env[0].valueFrom.fieldRef.fieldPath"],
    },
    { why: "is from some field", given: field(""), expected: ["Required env[0].valueFrom.fieldRef.fieldPath"] },
    {
      why: "may be an amount",
      given: from({ resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } }),
      expected: [],
    },
    {
      why: "is an amount in a unit",
      given: from({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }),
      expected: ["Invalid env[0].valueFrom.resourceFieldRef.divisor"],
    },
    {
      why: "is an amount in a unit that is written so",
      given: from({ resourceFieldRef: { resource: "limits.memory", divisor: "1024" } }),
      expected: ["Invalid env[0].valueFrom.resourceFieldRef.divisor"],
    },
    {
      why: "is an amount of what there is",
      given: from({ resourceFieldRef: { resource: "limits.time", divisor: "3" } }),
      expected: ["NotSupported env[0].valueFrom.resourceFieldRef.resource"],
    },
    {
      why: "is not yet one of huge pages",
      given: from({ resourceFieldRef: { resource: "limits.hugepages-2Mi" } }),
      expected: ["NotSupported env[0].valueFrom.resourceFieldRef.resource"],
    },
    {
      why: "may be maps whose names end in a dash",
      given: { envFrom: [{ configMapRef: { name: "m-" } }, { secretRef: { name: "M" } }] },
      expected: ["Invalid envFrom[1].secretRef.name"],
    },
    {
      why: "may be whole maps, each one",
      given: {
        envFrom: [{}, { configMapRef: { name: "m" }, secretRef: { name: "s" } }, { prefix: "1", secretRef: {} }],
      },
      expected: ["Invalid envFrom", "Invalid envFrom[2].prefix", "Required envFrom[2].secretRef.name"],
    },
  ]);
});
