/** `restore -n`: a namespace is what it was. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl", { history: "1h", controllers: ["*"] });
  await session.ok("create namespace shop");
});
afterAll(() => session[Symbol.asyncDispose]());

/** A moment between two writes. */
async function between(): Promise<string> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
  await pause();
  const at = new Date().toISOString();
  await pause();
  return at;
}

test("what was changed, deleted and added since is changed back, created and deleted, and all else stays", async () => {
  await session.ok("create configmap kept -n shop --from-literal=a=1");
  await session.ok("create configmap changed -n shop --from-literal=a=1");
  await session.ok("create configmap gone -n shop --from-literal=a=1");
  await session.ok("create deployment web -n shop --image=web:1");
  await session.server.until("Deployment", "shop/web", () => true);
  const before = await session.ok("export -n shop");
  const kept = await session.ok("get configmap kept -n shop -o yaml");
  const at = await between();
  await session.ok(["patch", "configmap", "changed", "-n", "shop", "--type=merge", "-p", '{"data":{"a":"2"}}']);
  await session.ok("delete configmap gone -n shop");
  await session.ok("create configmap new -n shop --from-literal=a=1");
  await session.ok("set image deployment/web -n shop web=web:broken");
  const plan = await session.ok(`restore -n shop --at=${at} --dry-run=server`);
  expect(plan.trim().split("\n").sort()).toEqual([
    "configmap/changed restored (server dry run)",
    "configmap/gone created (server dry run)",
    "configmap/new deleted (server dry run)",
    "deployment.apps/web restored (server dry run)",
  ]);
  expect((await session.run("get configmap gone -n shop")).code).toBe(1);
  const done = await session.ok(`restore -n shop --at=${at}`);
  expect(done.trim().split("\n").sort()).toEqual([
    "configmap/changed restored",
    "configmap/gone created",
    "configmap/new deleted",
    "deployment.apps/web restored",
  ]);
  expect(await session.ok("export -n shop")).toBe(before);
  expect(await session.ok("get configmap kept -n shop -o yaml")).toBe(kept);
  expect((await session.run(`restore -n shop --at=${at}`)).err).toMatch(/^nothing in namespace shop differs/);
});

test("a status that a controller writes in the meantime does not stop a restore", async () => {
  await session.ok("create namespace busy");
  await session.ok("create ingress web -n busy --rule=a.example.com/=web:80");
  const at = await between();
  await session.ok("annotate ingress web -n busy note=changed");
  const path = "/apis/networking.orch.io/v1/namespaces/busy/ingresses/web/status";
  let isOver = false;
  const controller = (async () => {
    for (let count = 0; !isOver; count++) {
      // Seldom enough for a read and a write in between, and often enough for a plan not to be one.
      await new Promise((resolve) => setTimeout(resolve, 10));
      await session.server.fetch(path, {
        method: "PATCH",
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ status: { loadBalancer: { ingress: [{ ip: `192.0.2.${count % 250}` }] } } }),
      });
    }
  })();
  const done = await session.run(`restore -n busy --at=${at}`);
  isOver = true;
  await controller;
  expect([done.err, done.out]).toEqual(["", "ingress.networking.orch.io/web restored\n"]);
  const { metadata, status } = JSON.parse(await session.ok("get ingress web -n busy -o json"));
  expect(metadata.annotations?.note).toBeUndefined();
  expect(status.loadBalancer.ingress).toHaveLength(1);
});

test("nothing is written when the server would refuse a part of it, and bad moments and names are told", async () => {
  await session.ok("create namespace tight");
  await session.ok("create configmap a -n tight --from-literal=a=1");
  await session.ok("create configmap b -n tight --from-literal=a=1");
  const at = await between();
  await session.ok("delete configmap b -n tight");
  await session.ok([
    "patch",
    "configmap",
    "a",
    "-n",
    "tight",
    "--type=merge",
    "-p",
    '{"data":{"a":"2"},"immutable":true}',
  ]);
  const refused = await session.run(`restore -n tight --at=${at}`);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("immutable");
  expect((await session.run("get configmap b -n tight")).code).toBe(1);
  expect((await session.run("restore --at=10m")).err).toContain("-n with the namespace");
  expect((await session.run("restore -n tight --at=1h")).err).toMatch(/no longer kept|was not there/);
  expect((await session.run("restore -n none --at=1s")).err).toContain("undelete namespace/none");
  expect((await session.run("restore -n tight --at=1s --field=data.a")).err).toContain("--field is for one object");
});
