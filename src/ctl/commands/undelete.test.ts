/** `undelete` of a namespace and of a type, and `show`. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl", { history: "1h", controllers: ["*"] });
});
afterAll(() => session[Symbol.asyncDispose]());

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { team: blue } }
---
apiVersion: v1
kind: Secret
metadata: { name: key, namespace: shop }
stringData: { password: s3cret }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: web, image: "web:1" }] } }
---
apiVersion: rbac.authorization.orch.io/v1
kind: Role
metadata: { name: reader, namespace: shop }
rules: [{ apiGroups: [""], resources: [pods], verbs: [get] }]
`;

test("a namespace comes back as its export was, with owners under their new uids", async () => {
  await session.ok(["apply", "-f", session.file("shop.yaml", shop)]);
  await session.server.until("Deployment", "shop/web", () => true);
  const uidOf = (what: string) => session.ok(`get ${what} -n shop -o jsonpath={.metadata.uid}`);
  const owner = await uidOf("service/web");
  const owned = (uid: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "owned",
        namespace: "shop",
        ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "web", uid }],
      },
    });
  await session.ok(["create", "-f", session.file("owned.json", owned(owner))]);
  const before = await session.ok("export -n shop");
  await session.ok("delete namespace shop");
  expect((await session.run("get configmap owned -n shop")).code).toBe(1);
  await session.ok("undelete namespace/shop --dry-run=server");
  expect((await session.run("get namespace shop")).code).toBe(1);
  const out = await session.ok("undelete namespace/shop");
  expect(out).toMatch(/^namespace\/shop created\n/);
  expect(out).toContain("deployment.apps/web created\n");
  const again = await uidOf("service/web");
  expect(again).not.toBe(owner);
  expect(await session.ok("export -n shop")).toBe(before.replaceAll(owner, again));
  expect((await session.run("undelete namespace/shop")).err).toContain("namespaces/shop is there");
});

test("all objects of a type that were deleted lately come back; those that are there stay", async () => {
  for (const name of ["one", "two", "three"]) await session.ok(`create configmap ${name} --from-literal=n=${name}`);
  await session.ok("delete configmap one two");
  await session.ok("create configmap two --from-literal=n=new");
  expect(await session.ok("undelete configmaps --since=1h")).toBe("configmap/one created\n");
  expect(await session.ok("get configmap two -o jsonpath={.data.n}")).toBe("new");
  expect((await session.run("undelete configmaps")).err).toContain("--since");
  expect((await session.run("undelete configmap/one --since=1h")).err).toContain("--since");
});

test("show tells all about a change, and what led to it", async () => {
  await session.ok("create deployment told --image=web:1");
  const pod = () => session.ok("get pods -l app=told -o name");
  await expect.poll(pod).toMatch(/^pod\//);
  const lines = (await session.ok(`history ${(await pod()).trim()}`)).trimEnd().split("\n");
  const [number] = lines.at(-1)!.split(/\s+/);
  const out = await session.ok(`show ${number}`);
  expect(out).toMatch(/^Change \d+: create of pods\/told-\S+ in namespace default at \S+ \(\d+s ago\)\n/);
  expect(out).toMatch(/\nCause: +replicaset default\/told-\S+\n/);
  expect(out).toMatch(
    /\nBecause of:\n {2}\d+ .*create replicasets\/told-\S+\n {2}\d+ .*admin .*create deployments\/told\n/,
  );
  expect(out).toContain(`Undo it with: ctl undo ${number}\n`);
  expect((await session.run("show soon")).err).toContain("the number of one change");
  expect((await session.run("show 999999")).err).toContain("there is no change 999999");
});

test("an undo that the server would refuse writes nothing, and one that it takes shows each field", async () => {
  await session.ok("create configmap plain --from-literal=a=1");
  await session.ok(["patch", "configmap", "plain", "--type=merge", "-p", '{"data":{"a":"2"}}']);
  const [, line = ""] = (await session.ok("history configmap/plain")).split("\n");
  const number = line.split(/\s+/)[0]!;
  const { err } = await session.run(`undo ${number}`);
  expect(err).toContain('data.a: "2" -> "1"');
});
