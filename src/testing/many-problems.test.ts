/** Objects with more problems than a function takes arguments: they are refused like any other. */

import { expect, test } from "vitest";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { problemsFoundMax } from "../machinery/status/field-error.ts";
import { allKinds, testEnvironment } from "./all-kinds.ts";

const environment = testEnvironment();
const kinds = allKinds(environment);

const items = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const property = { id: "x", $ref: "y", uniqueItems: true, type: "zz" };
const definition = (openAPIV3Schema: object) => ({
  spec: {
    group: "a.example",
    scope: "Cluster",
    names: { plural: "as", kind: "A" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
  },
});
/** `depth` objects, one in the other. */
const nested = (depth: number, inner: object): object =>
  depth === 0 ? inner : { type: "object", properties: { a: nested(depth - 1, inner) } };

const cases = [
  {
    why: "a definition of many wrong properties",
    kind: "CustomResourceDefinition",
    body: definition({ type: "object", properties: Object.fromEntries(items(40_000, (at) => [`p${at}`, property])) }),
  },
  {
    why: "a definition whose wrong properties are far inside",
    kind: "CustomResourceDefinition",
    body: definition(
      nested(200, { type: "object", properties: Object.fromEntries(items(40_000, (at) => [`p${at}`, property])) }),
    ),
  },
  {
    why: "a runtime class of many wrong tolerations",
    kind: "RuntimeClass",
    body: {
      handler: "a",
      scheduling: {
        tolerations: items(45_000, () => ({ key: "/", operator: "X", effect: "Y", tolerationSeconds: 1 })),
      },
    },
  },
];

function problemsOf(name: string, body: object): number {
  const kind = kinds.find((one) => one.kind === name && one === one.family.hub)!;
  const object = decodeKind(kind, { metadata: { name: "x" }, ...body });
  return kind.strategy.validate?.(object, environment).length ?? 0;
}

for (const { why, kind: name, body } of cases) {
  test(`${why} is refused`, () => {
    expect(problemsOf(name, body)).toBeGreaterThanOrEqual(problemsFoundMax);
  });
}

test("the search ends in the resources of one container, because every problem is written again on each level above", () => {
  const requests = Object.fromEntries(items(40_000, (at) => [`r${at}`, "1"]));
  const body = { spec: { containers: [{ name: "c", image: "i", resources: { requests } }] } };
  expect(problemsOf("Pod", body)).toBeLessThan(2 * problemsFoundMax);
});

const entries = <T>(value: T) => Object.fromEntries(items(20_000, (at) => [`wrong${at}$`, value]));
const limitRange = (field: string) => ({ spec: { limits: [{ type: "Container", [field]: entries("1") }] } });
const ingress = (except: readonly string[]) => ({
  spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/24", except } }] }] },
});

const searches = [
  { why: "the keys of a ConfigMap", kind: "ConfigMap", body: { data: entries("a") } },
  { why: "the binary keys of a ConfigMap", kind: "ConfigMap", body: { binaryData: entries("YQ==") } },
  { why: "the keys of a Secret", kind: "Secret", body: { data: entries("YQ==") } },
  { why: "the least amounts of a limit range", kind: "LimitRange", body: limitRange("min") },
  { why: "the ratios of a limit range", kind: "LimitRange", body: limitRange("maxLimitRequestRatio") },
  {
    why: "the finalizers of a namespace",
    kind: "Namespace",
    body: { spec: { finalizers: items(20_000, () => "a$") } },
  },
  {
    why: "the exceptions of a network policy",
    kind: "NetworkPolicy",
    body: ingress(items(20_000, (at) => `11.0.${at >> 8}.${at & 255}/32`)),
  },
];

for (const { why, kind, body } of searches) {
  test(`the search ends early among ${why}`, () => {
    const problems = problemsOf(kind, body);
    expect([problems >= problemsFoundMax, problems < 3 * problemsFoundMax, problems]).toEqual([true, true, problems]);
  });
}
