/** Flags that are easily declared without effect: each changes what its command does. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
  await session.ok("create configmap settings --from-literal=a=b");
});
afterAll(() => session[Symbol.asyncDispose]());

test("kustomize -o writes one file, or one file for each object into a folder", async () => {
  session.file(
    "kustomization.yaml",
    "configMapGenerator: [{name: c, literals: [a=b]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n",
  );
  expect(await session.ok("kustomize . -o built.yaml")).toBe("");
  expect(readFileSync(join(session.folder, "built.yaml"), "utf8")).toContain("kind: ConfigMap");
  mkdirSync(join(session.folder, "built"));
  await session.ok("kustomize . -o built");
  expect(readdirSync(join(session.folder, "built"))).toEqual(["v1_configmap_c.yaml"]);
});

test("cluster-info dump -o yaml writes YAML", async () => {
  await session.ok("cluster-info dump -o yaml --output-directory=dump --namespaces=default");
  expect(existsSync(join(session.folder, "dump/nodes.yaml"))).toBe(true);
  expect((await session.run("cluster-info dump -o xml")).err).toBe('error: --output must be json or yaml, not "xml"\n');
});

test("config view --merge=false shows one of several files", async () => {
  const one = (name: string) => session.file(name, `contexts: [{name: ${name}, context: {}}]\n`);
  const env = { KUBECONFIG: `${one("first")}:${one("second")}` };
  const names = "-o jsonpath={.contexts[*].name}";
  expect(await session.ok(`config view ${names}`, { env })).toBe("first second");
  expect(await session.ok(`config view --merge=false ${names}`, { env })).toBe("first");
});

test("--match-server-version refuses a server of another version", async () => {
  expect((await session.run("get cm --match-server-version")).code).toBe(0);
  const older: typeof fetch = async () => Response.json({ gitVersion: "v1.20.0" });
  expect((await session.run("get cm --match-server-version", { fetch: (path) => older(path) })).err).toBe(
    "error: the server's version (v1.20.0) differs from the version of this client (v1.21.14, v1.35.8)\n",
  );
});

test("edit --validate reports a misspelt field before it sends anything", async () => {
  const env = { EDITOR: "sed -i s/^data:/dta:/" };
  const { err } = await session.run("edit cm settings", { env });
  expect(err).toContain('unknown field "dta"');
  const [, draft = ""] = /your draft is in (\S+)/.exec(err) ?? [];
  expect(readFileSync(draft, "utf8")).toContain("dta:");
  rmSync(dirname(draft), { recursive: true });
  expect((await session.run("edit cm settings --validate=false", { env })).code).toBe(0);
});

test("--subresource reads and writes a subresource of an object", async () => {
  await session.ok("create deployment web --image=nginx");
  expect(await session.ok("get deployment web --subresource=scale -o jsonpath={.kind}")).toBe("Scale");
  const patch = ["patch", "deployment", "web", "--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":3}}'];
  await session.ok(patch);
  expect(await session.ok("get deployment web -o jsonpath={.spec.replicas}")).toBe("3");
  for (const { line, err } of [
    { line: "get deployments --subresource=scale", err: "error: --subresource needs the name of an object\n" },
    {
      line: "get deployment web --subresource=log",
      err: 'error: invalid subresource value: "log". Must be one of [status scale resize]\n',
    },
  ])
    expect((await session.run(line)).err).toBe(err);
});
