/** Services of a whole server: its own, and the ranges that it was started with. */

import { describe, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { createAddressLeases } from "../registry/address-leases.ts";
import type { ActionRequest } from "../registry/contract/action.ts";
import { createLeaseReconciler } from "../upkeep/endpoint-reconcilers.ts";
import { createOwnService } from "../upkeep/own-service.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import { readIdentityLease, readServiceFlags } from "./flags/read-services.ts";
import { createServer } from "./library.ts";
import { openServer } from "./server.ts";

describe("a deleted service", () => {
  const json = (method: string, body: unknown) => ({
    method,
    headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
    body: JSON.stringify(body),
  });
  const services = "/api/v1/namespaces/default/services";
  const endpoints = "/api/v1/namespaces/default/endpoints";
  const subsets = [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ port: 80 }] }];

  test("deletes the endpoints of its name", async () => {
    await using server = await createServer();
    await server.fetch(services, json("POST", { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }));
    await server.fetch(endpoints, json("POST", { metadata: { name: "a" }, subsets }));
    await server.fetch(endpoints, json("POST", { metadata: { name: "b" }, subsets }));
    await server.fetch(`${services}/a?dryRun=All`, { method: "DELETE" });
    expect((await server.fetch(`${endpoints}/a`)).status).toBe(200);
    await server.fetch(`${services}/a`, { method: "DELETE" });
    expect((await server.fetch(`${endpoints}/a`)).status).toBe(404);
    expect((await server.fetch(`${endpoints}/b`)).status).toBe(200);
  });

  test("is answered with a Status, even while a finalizer holds it", async () => {
    await using server = await createServer();
    const metadata = { name: "a", finalizers: ["example.com/hold"] };
    await server.fetch(services, json("POST", { metadata, spec: { ports: [{ port: 80 }] } }));
    const answer = await server.fetch(`${services}/a`, { method: "DELETE" });
    expect(await answer.json()).toMatchObject({ kind: "Status", status: "Success", details: { name: "a" } });
    expect((await server.fetch(`${services}/a`)).status).toBe(200);
    await server.fetch(`${services}/a`, json("PATCH", { metadata: { finalizers: null } }));
    expect((await server.fetch(`${services}/a`)).status).toBe(404);
  });
});

describe("the server's own service", () => {
  test("exists from the start, at the first address of the range", async () => {
    await using server = await createServer();
    const answer = await server.fetch("/api/v1/namespaces/default/services/orch");
    expect(await answer.json()).toMatchObject({
      metadata: { labels: { component: "apiserver", provider: "orch" } },
      spec: {
        type: "ClusterIP",
        clusterIPs: ["10.0.0.1"],
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
      },
    });
  });

  test("has the name that clients of the vocabulary know", async () => {
    await using server = await createServer({ vocabulary: "kubernetes" });
    const answer = await server.fetch("/api/v1/namespaces/default/services/kubernetes");
    expect(answer.status).toBe(200);
  });

  test("lists all running servers of a store", async () => {
    const server = await openServer({
      clock: systemClock,
      log: silentLog,
      api: {
        vocabulary: vocabularyOf("orch"),
        gates: new Map(),
        isServed: (group: string) => ["", "discovery.orch.io"].includes(group),
        allowPrivileged: false,
      },
      store: { kv: createMemoryKv(), timeoutMs: 1_000, historyMs: 60_000 },
      admission: { enable: [], disable: [], notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300 },
      access: {
        open: () => ({
          authenticator: { name: "nobody", authenticate: () => undefined },
          authorizer: { name: "nobody", authorize: () => ({ outcome: "deny", reason: "" }) },
          actions: new Map([
            ["serviceaccounts/token", { create: async ({ body }: ActionRequest) => ({ object: body, code: 201 }) }],
          ]),
          roles: undefined,
        }),
        anonymous: false,
      },
      requests: { limits: {}, livezGraceMs: 0 },
      network: {},
    } as Parameters<typeof openServer>[0]); // no request is sent, so the other options are not used
    const { registry, catalog } = server;
    const leases = createMemoryKv();
    const open = () =>
      createOwnService({
        registry,
        catalog,
        log: silentLog,
        clusterIp: "10.0.0.1",
        nodePort: 0,
        reconciler: createLeaseReconciler(createAddressLeases(leases, systemClock)),
      });
    const [first, second] = [open(), open()];
    await first.announce({ address: "192.0.2.7", port: 6443 });
    await second.announce({ address: "192.0.2.8", port: 6443 });
    const addresses = async () => {
      const kind = catalog.byResource("", "v1", "endpoints");
      const slices = catalog.byResource("discovery.orch.io", "v1", "endpointslices");
      if (kind === undefined || slices === undefined) throw new Error("not served");
      const ref = { namespace: "default", name: "orch" };
      const { subsets = [] } = (await registry.get(kind, ref)).object() as {
        subsets?: { addresses: { ip: string }[] }[];
      };
      const { endpoints } = (await registry.get(slices, ref)).object() as { endpoints?: { addresses: string[] }[] };
      return [subsets.flatMap((one) => one.addresses.map(({ ip }) => ip)), endpoints?.flatMap((one) => one.addresses)];
    };
    expect(await addresses()).toEqual([
      ["192.0.2.7", "192.0.2.8"],
      ["192.0.2.7", "192.0.2.8"],
    ]);
    await first.withdraw();
    expect(await addresses()).toEqual([["192.0.2.8"], ["192.0.2.8"]]);

    // Deleting the service deletes its endpoints; the server that recreates it adds its own address.
    const endpoints = catalog.byResource("", "v1", "endpoints");
    if (endpoints === undefined) throw new Error("not served");
    const user = { name: "tester", uid: "", groups: [], extra: new Map() };
    const context = { user, dryRun: false, fieldManager: "", warn() {} };
    await registry.delete(endpoints, { namespace: "default", name: "orch" }, {}, context);
    const services = catalog.byResource("", "v1", "services");
    if (services === undefined) throw new Error("not served");
    await registry.delete(services, { namespace: "default", name: "orch" }, {}, context);
    await second.ensure(6443);
    expect(await addresses()).toEqual([["192.0.2.8"], ["192.0.2.8"]]);
    await server.close();
  });
});

describe("flags", () => {
  const given = {
    "service-cluster-ip-range": "",
    "service-node-port-range": "30000-32767",
    "orch-service-node-port": 0,
    "secure-port": 0,
    "endpoint-reconciler-type": "lease",
    "apiserver-count": 1,
  } as const;

  test("set the ranges of addresses and ports", () => {
    const { addresses, nodePorts, ownPort } = readServiceFlags({
      ...given,
      "service-cluster-ip-range": "10.96.0.0/16,fd00::/112",
      "secure-port": 443,
    });
    expect(addresses.map(({ family, text }) => [family, text])).toEqual([
      ["IPv4", "10.96.0.0/16"],
      ["IPv6", "fd00::/112"],
    ]);
    expect([nodePorts.text, ownPort]).toEqual(["30000-32767", 443]);
    expect(readServiceFlags(given).addresses.map(({ text }) => text)).toEqual(["10.0.0.0/24"]);
  });

  test("that are invalid are named in the error", () => {
    expect(() => readServiceFlags({ ...given, "service-cluster-ip-range": "10.0.0.0/8" })).toThrow(
      "--service-cluster-ip-range: the range 10.0.0.0/8",
    );
    expect(() => readServiceFlags({ ...given, "service-node-port-range": "x" })).toThrow("--service-node-port-range");
    expect(() => readServiceFlags({ ...given, "apiserver-count": 0 })).toThrow(
      "--apiserver-count must be a positive number, not 0",
    );
  });
});

test("flags of the identity lease must be positive", () => {
  const given = { "identity-lease-duration-seconds": 60, "identity-lease-renew-interval-seconds": 5 };
  expect(readIdentityLease(given)).toEqual({ durationSeconds: 60, renewIntervalMs: 5_000 });
  for (const name of Object.keys(given)) {
    expect(() => readIdentityLease({ ...given, [name]: 0 })).toThrow(`--${name} must be a positive number, not 0`);
  }
});

test("a path that connects never refers to the object itself", async () => {
  await using server = await createServer();
  const json = { "content-type": "application/json" };
  const base = "/api/v1/namespaces/default/pods";
  const body = JSON.stringify({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
  expect((await server.fetch(base, { method: "POST", headers: json, body })).status).toBe(201);
  const patch = JSON.stringify({ metadata: { labels: { a: "b" } } });
  const tries = [
    { method: "DELETE" },
    { method: "PUT", headers: json, body },
    { method: "PATCH", headers: { "content-type": "application/merge-patch+json" }, body: patch },
  ];
  for (const init of tries) expect((await server.fetch(`${base}/p/proxy`, init)).status).toBe(400);
  const pod = (await (await server.fetch(`${base}/p`)).json()) as { metadata: Record<string, unknown> };
  expect(pod.metadata).not.toHaveProperty("labels");
  expect(pod.metadata).not.toHaveProperty("deletionTimestamp");
});
