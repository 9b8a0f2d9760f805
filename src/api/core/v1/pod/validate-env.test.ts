import { describe } from "vitest";
import { checkContainer } from "../pod.suite.ts";

describe("the environment of a container", () => {
  const from = (valueFrom: object, rest: object = {}) => ({ env: [{ name: "A", valueFrom, ...rest }] });
  const field = (fieldPath: string) => from({ fieldRef: { fieldPath } });
  const key = { name: "m", key: "k" };
  checkContainer([
    {
      why: "must have valid names",
      given: { env: [{ name: "" }, { name: "1A" }, { name: "a.b-c_D" }] },
      expected: ["Invalid env[1].name", "Required env[0].name"],
    },
    {
      why: "must not have both a value and a source",
      given: from({ secretKeyRef: key }, { value: "v" }),
      expected: ["Invalid env[0].valueFrom"],
    },
    { why: "must not have an empty source", given: from({}), expected: ["Invalid env[0].valueFrom"] },
    {
      why: "must not have two sources",
      given: from({ secretKeyRef: key, configMapKeyRef: key }),
      expected: ["Invalid env[0].valueFrom"],
    },
    {
      why: "must have valid references to keys",
      given: from({ secretKeyRef: { name: "A", key: "" } }),
      expected: ["Invalid env[0].valueFrom.secretKeyRef.name", "Required env[0].valueFrom.secretKeyRef.key"],
    },
    { why: "may be a field of the pod", given: field("status.podIP"), expected: [] },
    { why: "may be the field spec.host of earlier versions", given: field("spec.host"), expected: [] },
    { why: "may be a label", given: field("metadata.labels['a/b']"), expected: [] },
    {
      why: "must have a valid label key",
      given: field("metadata.labels['a b']"),
      expected: ["Invalid env[0].valueFrom.fieldRef"],
    },
    {
      why: "must not be all labels",
      given: field("metadata.labels"),
      expected: ["NotSupported env[0].valueFrom.fieldRef.fieldPath"],
    },
    {
      why: "must not be an unknown field",
      given: field("spec.secrets"),
      expected: ["Invalid env[0].valueFrom.fieldRef.fieldPath"],
    },
    { why: "must have a field path", given: field(""), expected: ["Required env[0].valueFrom.fieldRef.fieldPath"] },
    {
      why: "may be a resource",
      given: from({ resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } }),
      expected: [],
    },
    {
      why: "must have a supported divisor",
      given: from({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }),
      expected: ["Invalid env[0].valueFrom.resourceFieldRef.divisor"],
    },
    {
      why: "must have the divisor in its canonical notation",
      given: from({ resourceFieldRef: { resource: "limits.memory", divisor: "1024" } }),
      expected: ["Invalid env[0].valueFrom.resourceFieldRef.divisor"],
    },
    {
      why: "must be a known resource",
      given: from({ resourceFieldRef: { resource: "limits.time", divisor: "3" } }),
      expected: ["NotSupported env[0].valueFrom.resourceFieldRef.resource"],
    },
    {
      why: "must not be huge pages while the feature is off",
      given: from({ resourceFieldRef: { resource: "limits.hugepages-2Mi" } }),
      expected: ["NotSupported env[0].valueFrom.resourceFieldRef.resource"],
    },
    {
      why: "may come from maps with a trailing dash in their names",
      given: { envFrom: [{ configMapRef: { name: "m-" } }, { secretRef: { name: "M" } }] },
      expected: ["Invalid envFrom[1].secretRef.name"],
    },
    {
      why: "must come from exactly one map or secret each",
      given: {
        envFrom: [{}, { configMapRef: { name: "m" }, secretRef: { name: "s" } }, { prefix: "1", secretRef: {} }],
      },
      expected: ["Invalid envFrom", "Invalid envFrom[2].prefix", "Required envFrom[2].secretRef.name"],
    },
  ]);
});
