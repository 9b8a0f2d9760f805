import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

const later = `apiVersion: v1
kind: Pod
metadata: {name: sidecar}
spec:
  initContainers: [{name: proxy, image: i, restartPolicy: Always}]
  containers: [{name: c, image: i}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: admissionregistration.orch.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owned}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}
  validations: [{expression: "has(object.metadata.labels)"}]
`;

describe("the level of validate", () => {
  beforeAll(() => session.file("later.yaml", later));
  test("is that of --emulated-version, whatever the server says", async () => {
    const { code, out, err } = await session.run("validate later.yaml -q --emulated-version=1.35");
    expect([code, out, err]).toEqual([0, "", "3 valid at level 1.35, of --emulated-version\n"]);
    const late = await openSession("ctl", { emulatedVersion: "1.35" });
    await using _ = late;
    late.file("later.yaml", later);
    expect((await late.run("validate later.yaml -q --emulated-version=1.21")).code).toBe(1);
  });
  test("is that of the configured server without the flag", async () => {
    const early = await session.run("validate later.yaml -q");
    expect([early.code, early.out]).toEqual([
      1,
      expect.stringMatching(/^later\.yaml:5: pod\/sidecar: .*restartPolicy/m),
    ]);
    expect(early.err).toMatch(/^3 of 3 not valid at level 1\.21, of the configured server, v1\.21\./m);
    await using late = await openSession("ctl", { emulatedVersion: "1.35" });
    late.file("later.yaml", later);
    const { code, err } = await late.run("validate later.yaml -q");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^3 valid at level 1\.35, of the configured server, v1\.35\./),
    ]);
  });
  test("is the default where no server answers, which is said", async () => {
    const { code, err } = await session.run("validate later.yaml -q", { isConfigured: true });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /at level 1\.21, the default, because no server answers\n--emulated-version checks them at another/,
      ),
    ]);
  });
  test("is the default as well where a server is silent", async () => {
    const fetch = () => new Promise<never>(() => {});
    const { code, err } = await session.run("validate later.yaml -q", { fetch });
    expect([code, err]).toEqual([1, expect.stringMatching(/at level 1\.21, the default/)]);
  });
  test("is one of those that there are", async () => {
    const { code, err } = await session.run("validate later.yaml --emulated-version=1.20");
    expect([code, err]).toEqual([1, expect.stringMatching(/must be one of 1\.21 to 1\.37, not "1\.20"/)]);
  });
});

describe("definitions of custom kinds", () => {
  const lamp = "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: l}\nspec:\n  size: large\n";
  beforeAll(() => {
    session.file("lamp.yaml", lamp);
    session.file(
      "install.yaml",
      `${definition("lamps", "Lamp", lamps)}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_B}\n`,
    );
  });
  test("are read from the files of --definitions, whose other objects are not checked", async () => {
    const { code, out, err } = await session.run("validate lamp.yaml -q --definitions=install.yaml");
    expect([code, out]).toEqual([1, expect.stringMatching(/^lamp\.yaml:5: lamp\.example\.com\/l: .*spec\.size.*\n$/s)]);
    expect(err).toMatch(/^1 of 1 not valid/);
  });
  test("are asked for where an object has none", async () => {
    const { code, out } = await session.run("validate lamp.yaml -q");
    expect([code, out]).toEqual([
      1,
      'lamp.yaml:2: lamp.example.com/l: no matches for kind "Lamp" in version "example.com/v1"; --definitions names the file that defines it\n',
    ]);
  });
  test("must be there, and valid", async () => {
    expect((await session.run("validate lamp.yaml --definitions=lamp.yaml")).err).toBe(
      "error: --definitions: there is no CustomResourceDefinition in lamp.yaml\n",
    );
    session.file("wrong.yaml", definition("lamps", "Lamp", lamps).replace("storage: true", "storage: false"));
    const { code, err } = await session.run("validate lamp.yaml --definitions=wrong.yaml");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^wrong\.yaml:\d+: customresourcedefinition.*spec\.versions/),
    ]);
  });
});
