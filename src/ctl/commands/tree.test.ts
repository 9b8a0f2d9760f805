/** `ctl tree` where owners are odd, and where objects have no uid. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl", { nodes: 1, controllers: ["scheduler"] });
});
afterAll(() => session[Symbol.asyncDispose]());

const maps = "/api/v1/namespaces/default/configmaps";
const create = async (name: string): Promise<{ readonly metadata: { readonly uid: string } }> => {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  return (await session.server.fetch(maps, { method: "POST", body })).json() as Promise<{ metadata: { uid: string } }>;
};
const own = (name: string, owner: { readonly name: string; readonly uid: string }) =>
  session.server.fetch(`${maps}/${name}`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", ...owner }] } }),
  });

test("owners that own each other are shown once around", async () => {
  const [a, b] = [await create("a"), await create("b")];
  await own("a", { name: "b", uid: b.metadata.uid });
  await own("b", { name: "a", uid: a.metadata.uid });
  const { code, out } = await session.run("tree configmap a");
  expect({ code, out }).toEqual({ code: 0, out: "configmap/a\n└─ configmap/b\n   └─ configmap/a\n" });
});

test("metrics of pods, which have no uid, own nothing", async () => {
  const metadata = { name: "web", namespace: "default" };
  const spec = {
    containers: [{ name: "c", image: "i" }],
    serviceAccountName: "x",
    automountServiceAccountToken: false,
  };
  await session.server.load([
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "x", namespace: "default" } },
    { apiVersion: "v1", kind: "Pod", metadata, spec },
  ]);
  await session.server.until("Pod", "web", ({ status }) => (status as { phase?: string }).phase === "Running");
  await expect.poll(async () => (await session.run("get podmetrics web -o name")).code).toBe(0);
  const { code, out } = await session.run("tree pod web");
  expect({ code, out }).toEqual({ code: 0, out: "pod/web  Running Ready=True\n" });
});
