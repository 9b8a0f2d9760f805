import { expect, test } from "vitest";
import { catalog as kinds } from "../../api/catalog.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { admitAll } from "../../registry/contract/admission.ts";
import type { WriteContext } from "../../registry/contract/write-context.ts";
import { openRegistry } from "../../registry/registry.ts";
import { coreActions } from "../core-actions.ts";

const context: WriteContext = {
  user: { name: "tester", uid: "", groups: [], extra: new Map() },
  dryRun: false,
  fieldManager: "",
  warn() {},
};

async function open(addressTypes = ["InternalIP", "Hostname"]) {
  const environment = plainEnvironment({ clock: systemClock });
  const catalog = createCatalog(kinds, environment);
  const parts = { catalog, environment, clock: systemClock, log: silentLog, admission: admitAll };
  const registry = await openRegistry({ ...parts, kv: createMemoryKv() });
  const actions = coreActions({ catalog, random: (below) => below - 1, addressTypes });
  const kindOf = (resource: string) => catalog.byResource("", "v1", resource)!;
  const ref = (resource: string, name: string) => ({ namespace: kindOf(resource).namespaced ? "a" : "", name });
  return {
    create: async (resource: string, body: object) => {
      const kind = kindOf(resource);
      await registry.create(kind, decodeKind(kind, body), ref(resource, ""), context);
    },
    setStatus: async (resource: string, name: string, status: object) => {
      const kind = kindOf(resource);
      const options = { subresource: "status" };
      await registry.update(kind, ref(resource, name), (now) => decodeKind(kind, { ...now, status }), context, options);
    },
    backendOf: async (resource: string, name: string) => {
      const request = { kind: kindOf(resource), subresource: "proxy", ref: ref(resource, name), registry };
      return await actions
        .get(`${resource}/proxy`)
        ?.connect?.({ ...request, parameter: () => undefined, parameters: () => [] });
    },
  };
}

const pod = (name: string, ip: string) => ({
  metadata: { name, namespace: "a" },
  spec: { containers: [{ name: "c", image: "i", ports: [{ name: "web", containerPort: 8080 }] }] },
  status: { podIP: ip, podIPs: [{ ip }] },
});

test("the address of a pod counts only as long as the pod has it (C05 in docs/security-rows.md)", async () => {
  const { create, setStatus, backendOf } = await open();
  await create("pods", pod("p", ""));
  await setStatus("pods", "p", { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] });
  const backend = await backendOf("pods", "https:p:web");
  expect(backend).toMatchObject({ scheme: "https", host: "10.0.0.1", port: 8080, isNodeAgent: false });
  expect(backend?.isCurrent()).toBe(true);
  await setStatus("pods", "p", { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.2" }] });
  expect(backend?.isCurrent()).toBe(false);
});

test("an endpoint counts only as long as it is the address of a pod behind the service", async () => {
  const { create, setStatus, backendOf } = await open();
  const at = (name: string, ip: string) => ({ ip, targetRef: { kind: "Pod", namespace: "a", name } });
  for (const [name, ip] of [
    ["p", "10.0.0.1"],
    ["q", "10.0.0.2"],
  ] as const) {
    await create("pods", pod(name, ""));
    await setStatus("pods", name, { podIP: ip, podIPs: [{ ip }] });
  }
  await create("services", { metadata: { name: "s", namespace: "a" }, spec: { ports: [{ name: "http", port: 80 }] } });
  const addresses = [at("p", "10.0.0.1"), at("q", "10.0.0.9"), at("none", "10.0.0.3"), { ip: "10.0.0.4" }];
  const others = [{ ip: "10.0.0.2", targetRef: { kind: "Pod", namespace: "b", name: "q" } }];
  await create("endpoints", {
    metadata: { name: "s", namespace: "a" },
    subsets: [{ addresses: [...addresses, ...others], ports: [{ name: "http", port: 8080 }] }],
  });
  const backend = await backendOf("services", "s:80");
  expect(backend).toMatchObject({ host: "10.0.0.1", port: 8080, scheme: "http", serverName: "s.a.svc" });
  expect(backend?.isCurrent()).toBe(true);
  await setStatus("pods", "p", { podIP: "10.0.0.5", podIPs: [{ ip: "10.0.0.5" }] });
  expect(backend?.isCurrent()).toBe(false);
});

test("a node is reached at its preferred address, and its agent over https", async () => {
  const { create, setStatus, backendOf } = await open();
  const addresses = [
    { type: "Hostname", address: "n.test" },
    { type: "InternalIP", address: "10.0.0.7" },
  ];
  await create("nodes", { metadata: { name: "n" }, status: { addresses } });
  const agent = await backendOf("nodes", "n");
  expect(agent).toMatchObject({ scheme: "https", host: "10.0.0.7", port: 10_250, isNodeAgent: true });
  expect(await backendOf("nodes", "http:n:10250")).toMatchObject({ scheme: "https", isNodeAgent: true });
  expect(await backendOf("nodes", "n:9100")).toMatchObject({ scheme: "http", port: 9_100, isNodeAgent: false });
  await setStatus("nodes", "n", { addresses: addresses.slice(0, 1) });
  expect(agent?.isCurrent()).toBe(false);
  expect(await backendOf("nodes", "n")).toMatchObject({ host: "n.test" });
});
