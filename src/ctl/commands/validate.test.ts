import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
});
afterAll(() => session[Symbol.asyncDispose]());

const definition = (plural: string, kind: string, schema: string) => `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        ${schema}
`;

const lamps = "properties: {spec: {type: object, properties: {size: {type: integer}}}}";

test("objects of definitions among the manifests are checked by their schemas, also in one group", async () => {
  session.file(
    "lamps.yaml",
    [
      definition("lamps", "Lamp", lamps),
      definition("bulbs", "Bulb", lamps),
      "apiVersion: example.com/v1\nkind: Bulb\nmetadata: {name: b}\nspec:\n  size: 1\n  sizze: 2\n",
      "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: l}\nspec:\n  size: large\n",
    ].join("---\n"),
  );
  const { code, out } = await session.run("validate lamps.yaml -q");
  expect(code).toBe(1);
  expect(out).toMatch(/^lamps\.yaml:38: bulb\.example\.com\/b: ValidationError\(Bulb\.spec\): unknown field "sizze"/m);
  expect(out).toMatch(/^lamps\.yaml:44: lamp\.example\.com\/l: .*spec\.size/m);
  expect(out).not.toContain("customresourcedefinition");
});

test("a schema with a part that is not known is refused", async () => {
  session.file("part.yaml", definition("desks", "Desk", "propertees: {}"));
  const { code, out } = await session.run("validate part.yaml -q");
  expect([code, out]).toEqual([1, expect.stringMatching(/^part\.yaml:15: .*unknown field "propertees"/m)]);
});

test("a document that cannot be read does not hide the problems of the next", async () => {
  session.file("two.yaml", "a: [\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_B}\n");
  const { code, out } = await session.run("validate two.yaml -q");
  expect(code).toBe(1);
  expect(out).toMatch(/^two\.yaml:1: /m);
  expect(out).toMatch(/^two\.yaml:5: configmap\/A_B: .*metadata\.name/m);
});

test("a value of the wrong type and a misspelt kind are reported at their lines, the kind with a suggestion", async () => {
  session.file(
    "types.yaml",
    [
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: yes\n",
      "apiVersion: apps/v1\nkind: Deploymentt\nmetadata: {name: d}\n",
    ].join("---\n"),
  );
  const { code, out } = await session.run("validate types.yaml -q");
  expect(code).toBe(1);
  expect(out).toMatch(/^types\.yaml:7: pod\/p: .*spec\.containers\[0\]\.image: must be a string, not true$/m);
  expect(out).toMatch(/^types\.yaml:10: .*no matches for kind "Deploymentt".*\nDid you mean "kind: Deployment"\?$/m);
});
