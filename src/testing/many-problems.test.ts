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

for (const { why, kind: name, body } of cases) {
  test(`${why} is refused`, () => {
    const kind = kinds.find((one) => one.kind === name && one === one.family.hub)!;
    const object = decodeKind(kind, { metadata: { name: "x" }, ...body });
    expect(kind.strategy.validate?.(object, environment).length).toBeGreaterThanOrEqual(problemsFoundMax);
  });
}
