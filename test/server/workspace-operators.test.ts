/** Operators of `orch/client` over HTTPS: one inside a workspace as its own service account, and one for all workspaces of a type. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  connect,
  controller,
  defineResource,
  Event,
  field,
  installResources,
  Lease,
  type RunningControllers,
  runControllers,
  ServiceAccount,
  setOwner,
} from "../../src/kit/orch-client.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const soon = { timeout: 60_000, interval: 20 };
const Toy = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Toy",
  resource: "toys",
  fields: {
    spec: field.object({ parts: field.int32() }),
    status: field.optional(field.object({ built: field.optional(field.int32()) })),
  },
});

/** Builds each toy: a ConfigMap of the same name, its status, and an Event. */
const builds = () =>
  controller({
    for: Toy,
    owns: [ConfigMap],
    workers: 4,
    async reconcile({ object: toy, client, events }) {
      const { name = "", namespace = "" } = toy.metadata;
      const parts = String(toy.spec.parts);
      const box = setOwner({ metadata: { name, namespace }, data: { parts } }, toy);
      await client.of(ConfigMap).apply(box, { manager: "builder", force: true });
      if (toy.status?.built === toy.spec.parts) return;
      const status = { built: toy.spec.parts };
      await client.of(Toy).status.apply({ metadata: { name, namespace }, status }, { manager: "builder", force: true });
      events.normal("Built", `${name} has ${parts} parts`);
    },
  });
/** Long, so that a machine with much else to do loses no lease: who closes releases it. */
const lead = { name: "toys", leaseDurationMs: 120_000, renewDeadlineMs: 90_000, retryPeriodMs: 200 };

let server: OrchServer;
let url: string;
const closing: (() => unknown)[] = [];
const run = (client: Client, identity: string): RunningControllers => {
  const running = runControllers({ client, controllers: [builds()], leaderElection: { ...lead, identity } });
  closing.push(() => running.close());
  return running;
};
/** As an administrator of the server. */
const open = async (path: string, more: object = {}) => {
  const { kubeconfig } = await server.clientConfig();
  const client = await connect({ kubeconfig, server: url + path, ...more });
  closing.push(() => client.close());
  return client;
};
const make = (client: Client, name: string, parts: number) =>
  client.of(Toy).create({ metadata: { name }, spec: { parts } });
const boxOf = async (client: Client, name: string) => (await client.of(ConfigMap).find(name))?.data?.["parts"];

beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC" });
  url = await server.listen();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await server.close();
});

test("an operator inside a workspace works with an account of that workspace, is elected there, and is taken over from", async () => {
  await server.workspace("shop");
  const admin = await open("/clusters/shop");
  await installResources(admin, [Toy]);
  await admin.of(ServiceAccount).create({ metadata: { name: "builder" } });
  const rules = [
    {
      apiGroups: ["example.com"],
      resources: ["toys", "toys/status"],
      verbs: ["get", "list", "watch", "patch", "update"],
    },
    { apiGroups: ["", "events.orch.io"], resources: ["configmaps", "events"], verbs: ["*"] },
    { apiGroups: ["coordination.orch.io"], resources: ["leases"], verbs: ["*"] },
  ];
  await admin.of(ClusterRole).create({ metadata: { name: "builder" }, rules });
  await admin.of(ClusterRoleBinding).create({
    metadata: { name: "builder" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "builder" },
    subjects: [{ kind: "ServiceAccount", name: "builder", namespace: "default" }],
  });
  const { token = "" } = (await admin.of(ServiceAccount).token("builder")).status ?? {};
  const { authority } = await server.clientConfig();
  const asBuilder = async () => {
    const client = await connect({ server: `${url}/clusters/shop`, token, certificateAuthority: authority });
    closing.push(() => client.close());
    return client;
  };
  const holder = async () => (await admin.of(Lease).find("toys"))?.spec?.holderIdentity;

  const first = run(await asBuilder(), "first");
  await first.ready;
  await make(admin, "train", 3);
  await vi.waitFor(async () => expect(await boxOf(admin, "train")).toBe("3"), soon);
  await vi.waitFor(async () => expect((await admin.of(Toy).get("train")).status?.built).toBe(3), soon);
  await vi.waitFor(async () => {
    const { items } = await admin.of(Event).list({ fieldSelector: "reason=Built" }).all();
    expect(items.map(({ message }) => message)).toEqual(["train has 3 parts"]);
  }, soon);

  const second = run(await asBuilder(), "second");
  expect(await holder()).toBe("first");
  await first.close();
  await vi.waitFor(async () => expect(await holder()).toBe("second"), soon);
  await second.ready;
  await make(admin, "ball", 1);
  await vi.waitFor(async () => expect(await boxOf(admin, "ball")).toBe("1"), soon);
  // What it owns is made again, and goes with its owner.
  await admin.of(ConfigMap).delete("ball");
  await vi.waitFor(async () => expect(await boxOf(admin, "ball")).toBe("1"), soon);
  await admin.of(Toy).delete("ball");
  await vi.waitFor(async () => expect(await boxOf(admin, "ball")).toBeUndefined(), soon);
  const root = await open("");
  expect([await boxOf(root, "train"), await root.of(Lease).find("toys")]).toEqual([undefined, undefined]);
  await second.close();
});

test("an operator for all workspaces of a type keeps objects of one name apart, and writes where each of them is", async () => {
  const spec = { objects: [Toy.definition("orch")] };
  await server.fetch("/apis/tenancy.orch.io/v1alpha1/workspacetypes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "team" }, spec }),
  });
  const names = ["red", "blue", "green"];
  const inside = new Map<string, Client>();
  for (const name of names) {
    await server.workspace(name, { type: "team" });
    inside.set(name, await open(`/clusters/${name}`));
  }
  for (const [at, client] of [...inside.values()].slice(0, 2).entries()) await make(client, "train", at + 1);

  const all = await open("/clusters/*:team");
  await using informers = all.informers();
  const toys = informers.of(Toy);
  await toys.synced;
  const keys = () => toys.list().map((toy) => [toy.metadata.annotations?.["kcp.io/cluster"], toy.spec.parts]);
  expect(keys().sort()).toEqual([
    ["blue", 2],
    ["red", 1],
  ]);
  expect(toys.get("blue|default/train")?.spec.parts).toBe(2);

  const running = run(all, "everywhere");
  await running.ready;
  const root = await open("");
  expect((await root.of(Lease).get("toys")).spec?.holderIdentity).toBe("everywhere");
  for (const [at, name] of ["red", "blue"].entries())
    await vi.waitFor(async () => expect(await boxOf(inside.get(name)!, "train")).toBe(String(at + 1)), soon);
  await make(inside.get("green")!, "train", 7);
  await vi.waitFor(async () => expect(await boxOf(inside.get("green")!, "train")).toBe("7"), soon);
  // A change of what a toy owns leads to that toy, not to one of the same name elsewhere.
  const { metadata } = await inside.get("red")!.of(ConfigMap).get("train");
  await inside.get("blue")!.of(ConfigMap).delete("train");
  await vi.waitFor(async () => expect(await boxOf(inside.get("blue")!, "train")).toBe("2"), soon);
  expect((await inside.get("red")!.of(ConfigMap).get("train")).metadata.uid).toBe(metadata.uid);
  for (const [at, name] of ["red", "blue"].entries())
    await vi.waitFor(async () => {
      expect((await inside.get(name)!.of(Toy).get("train")).status?.built).toBe(at + 1);
      const { items } = await inside.get(name)!.of(Event).list({ fieldSelector: "reason=Built" }).all();
      expect(items).toHaveLength(1);
    }, soon);
  // One that goes takes its objects along.
  await server.fetch("/apis/tenancy.orch.io/v1alpha1/workspaces/blue", { method: "DELETE" });
  await vi.waitFor(
    () =>
      expect(
        keys()
          .map(([name]) => name)
          .sort(),
      ).toEqual(["green", "red"]),
    soon,
  );
  expect(await boxOf(root, "train")).toBeUndefined();
  await running.close();
});
