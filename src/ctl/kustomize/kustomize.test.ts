import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession();
  for (const folder of ["base", "overlay", "broken"]) mkdirSync(join(session.folder, folder));
  session.file(
    "base/kustomization.yaml",
    `resources: [deployment.yaml, service.yaml]
commonLabels: {app: shop}
configMapGenerator:
- {name: settings, literals: [color=blue]}
`,
  );
  session.file(
    "base/deployment.yaml",
    `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {tier: web}}
  template:
    metadata: {labels: {tier: web}}
    spec:
      containers:
      - name: c
        image: nginx:1
        args: ["--host=$(SERVICE)"]
        envFrom: [{configMapRef: {name: settings}}]
`,
  );
  session.file(
    "base/service.yaml",
    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {tier: web}, ports: [{port: 80}]}\n",
  );
  session.file(
    "overlay/kustomization.yaml",
    `bases: [../base]
namespace: prod
namePrefix: p-
commonAnnotations: {team: a}
images: [{name: nginx, newTag: "2"}]
replicas: [{name: web, count: 3}]
patchesStrategicMerge: [patch.yaml]
patchesJson6902:
- target: {version: v1, kind: Service, name: web}
  patch: '[{"op": "replace", "path": "/spec/ports/0/port", "value": 8080}]'
secretGenerator: [{name: keys, literals: [k=v], options: {disableNameSuffixHash: true}}]
vars: [{name: SERVICE, objref: {kind: Service, name: web, apiVersion: v1}}]
`,
  );
  session.file(
    "overlay/patch.yaml",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: c, env: [{name: A, value: b}]}]}}}\n",
  );
  session.file("broken/kustomization.yaml", "resourcez: []\n");
});
afterAll(() => session[Symbol.asyncDispose]());

describe("a kustomization", () => {
  test("builds bases, generators, patches, names and references", async () => {
    const out = await session.ok("kustomize overlay");
    const hashed = /name: (p-settings-[a-z0-9]{10})/.exec(out)?.[1];
    expect(hashed).toBeDefined();
    expect(out).toContain(`configMapRef:\n            name: ${hashed}`);
    for (const part of [
      "name: p-web",
      "namespace: prod",
      "team: a",
      "image: nginx:2",
      "replicas: 3",
      "port: 8080",
      "name: p-keys",
      "--host=p-web",
      "value: b",
      "app: shop",
    ])
      expect(out).toContain(part);
    expect(out.match(/^kind: .*/gm)).toEqual(["kind: ConfigMap", "kind: Secret", "kind: Service", "kind: Deployment"]);
  });
  test("is applied with -k", async () => {
    await session.ok("create namespace prod");
    expect(await session.ok("apply -k overlay")).toContain("deployment.apps/p-web created\n");
    expect(await session.ok("get -k overlay -o name")).toContain("service/p-web\n");
  });
  test("runs the built-in plugins of kustomize, and refuses others", async () => {
    for (const folder of ["plugged", "foreign", "remote"]) mkdirSync(join(session.folder, folder));
    session.file(
      "plugged/kustomization.yaml",
      "resources: [../base]\ntransformers: [steps.yaml]\ngenerators: [made.yaml]\n",
    );
    session.file(
      "plugged/steps.yaml",
      `apiVersion: builtin
kind: PrefixSuffixTransformer
metadata: {name: names}
suffix: -x
fieldSpecs: [{path: metadata/name}]
---
apiVersion: builtin
kind: AnnotationsTransformer
metadata: {name: notes}
annotations: {noted: "yes"}
fieldSpecs: [{path: metadata/annotations, create: true}]
---
apiVersion: builtin
kind: ImageTagTransformer
metadata: {name: images}
imageTag: {name: nginx, newTag: "9"}
`,
    );
    session.file(
      "plugged/made.yaml",
      "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: extra}\nliterals: [a=b]\n",
    );
    const out = await session.ok("kustomize plugged");
    for (const part of ["name: web-x", 'noted: "yes"', "image: nginx:9", "name: extra-x-"]) expect(out).toContain(part);
    session.file("foreign/kustomization.yaml", "resources: [../base]\ntransformers: [own.yaml]\n");
    session.file("foreign/own.yaml", "apiVersion: example.com/v1\nkind: Own\nmetadata: {name: own}\n");
    session.file("remote/kustomization.yaml", "resources: ['https://example.com/base?ref=v1']\n");
    const told = async (folder: string) => (await session.run(`kustomize ${folder}`)).err;
    expect(await told("foreign")).toContain("example.com/v1 Own: only the plugins that kustomize has built in");
    expect(await told("remote")).toContain("remote resources are not supported; download them first");
  });
  test("reads no file outside its folder, unless the caller allows it", async () => {
    for (const folder of ["inside", "linked"]) mkdirSync(join(session.folder, folder));
    session.file("id_rsa", "private");
    session.file("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: out}\n");
    session.file("inside/own.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n");
    symlinkSync(join(session.folder, "id_rsa"), join(session.folder, "linked/key"));
    const specs = {
      inside: [
        "configMapGenerator: [{name: m, files: [k=../id_rsa]}]",
        "secretGenerator: [{name: m, envs: [../id_rsa]}]",
        "resources: [../pod.yaml]",
        "resources: [own.yaml]\npatches: [{path: ../pod.yaml, target: {kind: ConfigMap}}]",
        "resources: [own.yaml]\npatchesStrategicMerge: [../pod.yaml]",
        "transformers: [../pod.yaml]",
        "resources: [own.yaml]\ncrds: [../pod.yaml]",
      ],
      linked: ["configMapGenerator: [{name: m, files: [key]}]"],
    };
    for (const [folder, texts] of Object.entries(specs))
      for (const text of texts) {
        session.file(`${folder}/kustomization.yaml`, `${text}\n`);
        const { code, out, err } = await session.run(`kustomize ${folder}`);
        expect({ text, code, out }).toEqual({ text, code: 1, out: "" });
        expect(err).toMatch(/security; file '[^']*(id_rsa|pod.yaml)' is not in or below '[^']*(inside|linked)'/);
      }
    expect(await session.ok("kustomize linked --load-restrictor=LoadRestrictionsNone")).toContain("key: private");
    expect((await session.run("kustomize linked --load-restrictor=Maybe")).err).toContain("LoadRestrictionsRootOnly");
  });
  test("has field names that are read without regard to case", async () => {
    mkdirSync(join(session.folder, "cased"));
    session.file("cased/kustomization.yaml", "Resources: [../base]\nnameprefix: c-\n");
    expect(await session.ok("kustomize cased")).toContain("name: c-web");
  });
  test("with a misspelt field, or without a file, is refused", async () => {
    expect((await session.run("kustomize broken")).err).toContain('unknown field "resourcez"');
    expect((await session.run("kustomize .")).err).toContain("unable to find one of 'kustomization.yaml'");
  });
});
