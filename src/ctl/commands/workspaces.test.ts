import { expect, test } from "vitest";
import { openSession } from "../session.suite.ts";

test("ctl ws creates, enters, leaves and deletes a workspace", async () => {
  await using session = await openSession("ctl", { workspaces: true });
  const { text, server } = await session.server.clientConfig();
  const env = { KUBECONFIG: session.file("config", text) };
  const ok = (line: string) => session.ok(line, { isConfigured: true, env });
  expect(await ok("ws current")).toBe("root\n");
  expect(await ok("ws create shop")).toContain('workspace "shop" created');
  await session.server.until("Workspace", "shop", (one) => JSON.stringify(one).includes('"Ready"'));
  await ok("create configmap outside");
  expect(await ok("ws use shop")).toContain('Switched to workspace "shop"');
  expect(await ok("config view")).toContain(`${server}/clusters/shop`);
  expect(await ok("ws current")).toBe("shop\n");
  expect(await ok("get configmaps -o name")).toBe("");
  await ok("create configmap inside");
  const past = await session.run("history", { isConfigured: true, env });
  expect(past.err).toBe("error: the server keeps no history; it does with --history=24h\n");
  expect(await ok("get configmaps -o name")).toBe("configmap/inside\n");
  expect(await ok("ws list")).toMatch(/CURRENT +NAME +TYPE +PHASE\n\* +shop +Ready/);
  await ok("ws create bank");
  await session.server.until("Workspace", "bank", (one) => JSON.stringify(one).includes('"Ready"'));
  const type = { metadata: { name: "team" }, spec: { objects: [] } };
  await session.server.fetch("/apis/tenancy.orch.io/v1alpha1/workspacetypes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(type),
  });
  await ok("ws create red --type=team");
  await ok("ws create blue --type=team");
  for (const name of ["red", "blue"])
    await session.server.until("Workspace", name, (one) => JSON.stringify(one).includes('"Ready"'));
  expect(await ok("ws tree")).toBe(
    ["root", "├─ bank", "├─ shop *", "└─ type team", "   ├─ blue", "   └─ red", ""].join("\n"),
  );
  expect(await session.run("ws use bnak", { isConfigured: true, env })).toMatchObject({
    code: 1,
    err: 'error: there is no workspace "bnak"; ctl ws list shows them, ctl ws create bnak makes it\n',
  });
  await ok("ws use bank");
  expect(await ok("config current-context")).toBe("orch:bank\n");
  await ok("ws use root");
  expect(await ok("get configmaps -o name")).toBe("configmap/outside\n");
  expect(await ok("ws delete bank")).toContain("deleted");
  await session.server.untilGone("Workspace", "bank");
  expect(await ok("ws list")).not.toContain("bank");
});

test("the past of a workspace is looked at, restored and undone as that of a server", async () => {
  await using session = await openSession("ctl", { workspaces: true, history: "1h" });
  const { text } = await session.server.clientConfig();
  const env = { KUBECONFIG: session.file("config", text) };
  const ok = (line: string) => session.ok(line, { isConfigured: true, env });
  const price = async () => await ok("get configmap price -o jsonpath={.data.of}");
  await ok("create configmap price --from-literal=of=root");
  for (const name of ["bank", "shop"]) {
    await ok(`ws create ${name}`);
    await session.server.until("Workspace", name, (one) => JSON.stringify(one).includes('"Ready"'));
    await ok(`ws use ${name}`);
    await ok(`create configmap price --from-literal=of=${name}`);
  }
  await ok('patch configmap price --patch={"data":{"of":"2"}}');
  const history = await ok("history configmap/price --values");
  expect(history).toContain("create");
  expect(history).not.toMatch(/bank|root/);
  const [, number = ""] = /^ *([0-9]+).*update/m.exec(history) ?? [];
  expect(await ok(`show ${number}`)).toContain("price");
  await ok(`undo ${number}`);
  expect(await price()).toBe("shop");
  const { metadata } = JSON.parse(await ok("get configmap price -o json")) as { metadata: { resourceVersion: string } };
  const time = new Date().toISOString();
  await new Promise((done) => setTimeout(done, 5));
  await ok('patch configmap price --patch={"data":{"of":"3"}}');
  for (const at of [metadata.resourceVersion, time])
    expect(await ok(`get configmap price --at=${at} -o jsonpath={.data.of}`)).toBe("shop");
  await ok(`restore configmap/price --at=${time}`);
  expect(await price()).toBe("shop");
  await ok("delete configmap price");
  await ok("undelete configmap/price");
  expect(await price()).toBe("shop");
  for (const name of ["root", "bank"]) {
    await ok(`ws use ${name}`);
    expect(await price()).toBe(name);
    expect((await ok("history configmap/price")).trim().split("\n").length).toBeLessThan(3);
  }
});

test("ctl ws says that a server has no workspaces, and how it gets them", async () => {
  await using plain = await openSession("ctl");
  for (const line of ["ws list", "ws tree", "ws create shop", "ws delete shop"])
    expect(await plain.run(line)).toMatchObject({
      code: 1,
      err: "error: the server has no workspaces: start it with --workspaces (orch up, orch apiserver)\n",
    });
  await using session = await openSession("ctl", { workspaces: true });
  expect((await session.run("ws delete shop")).err).toContain('"shop" not found');
});

test("ctl ws use enters only a workspace that is there, and says so of one that lets nobody in", async () => {
  await using session = await openSession("ctl", { workspaces: true });
  const { text } = await session.server.clientConfig();
  const env = { KUBECONFIG: session.file("config", text) };
  const run = (line: string) => session.run(line, { isConfigured: true, env });
  expect(await run("ws use nope")).toMatchObject({
    code: 1,
    err: 'error: there is no workspace "nope"; ctl ws list shows them, ctl ws create nope makes it\n',
  });
  for (const name of ["Shop", "a/b"])
    expect((await run(`ws use ${name}`)).err).toContain(`error: "${name}" is not the name of a workspace: `);
  expect((await run("config current-context")).out).toBe("orch\n");
  await session.server.workspace("shop");
  await session.server.fetch("/apis/tenancy.orch.io/v1alpha1/workspaces/shop", {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ spec: { suspended: true } }),
  });
  await session.server.until("Workspace", "shop", (one) => JSON.stringify(one).includes('"Suspended"'));
  expect(await run("ws use shop")).toMatchObject({
    code: 0,
    out: 'Switched to workspace "shop", context "orch:shop".\n',
    err: expect.stringContaining('the workspace "shop" is suspended'),
  });
});
