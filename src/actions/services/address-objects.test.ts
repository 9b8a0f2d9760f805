import { describe, expect, test } from "vitest";
import { catalog as kinds } from "../../api/catalog.ts";
import { Service } from "../../api/core/v1/service.ts";
import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { plainEnvironment, uidsInOrder } from "../../machinery/schema/environment.suite.ts";
import { createClaims } from "../../registry/claims.ts";
import { admitAll } from "../../registry/contract/admission.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import { type OpenRegistry, openRegistry } from "../../registry/registry.ts";
import { addressesTriedMax, createAddressObjects } from "./address-objects.ts";
import { parseAddressRanges, parsePortRange } from "./address-range.ts";
import { createServices, servicesFamily } from "./services.ts";

/** Addresses of /30: two of them. */
async function open() {
  const kv = createMemoryKv();
  const clock = createManualClock(0);
  const environment = plainEnvironment({ level: "1.35", clock, randomUid: uidsInOrder() });
  const catalog = createCatalog(kinds, environment);
  const ranges = parseAddressRanges("10.0.0.0/30");
  const random = () => 0;
  let registry: OpenRegistry;
  const pool = createAddressObjects({
    family: "IPv4",
    catalog,
    registry: () => registry,
    configured: ranges[0]!,
    random,
  });
  const services = createServices({
    claims: createClaims(kv),
    addresses: ranges,
    addressPools: new Map([["IPv4", pool]]),
    nodePorts: parsePortRange("30000-30010"),
    random,
    log: silentLog,
  });
  const allocators = new Map([[servicesFamily, services]]);
  registry = await openRegistry({ kv, catalog, clock, log: silentLog, admission: admitAll, allocators });
  const user = { name: "tester", uid: "", groups: [], extra: new Map() };
  const context = { user, dryRun: false, fieldManager: "", warn() {} };
  const kind = catalog.of(Service);
  return {
    async post(name: string, spec: object = {}, dryRun = false) {
      const object = decodeKind(kind, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
      const made = await registry.create(kind, object, { namespace: "a", name }, { ...context, dryRun });
      return (made.entry.object()["spec"] as { clusterIP?: string }).clusterIP; // all that is posted are services
    },
    drop: (name: string) => registry.delete(kind, { namespace: "a", name }, {}, context),
    async addRange(name: string, cidr: string, ready?: string) {
      const cidrs = catalog.of(ServiceCIDR);
      const ref = { namespace: "", name };
      await registry.create(cidrs, decodeKind(cidrs, { metadata: { name }, spec: { cidrs: [cidr] } }), ref, context);
      if (ready === undefined) return;
      const condition = { type: "Ready", status: ready, reason: "R", message: "", lastTransitionTime: null };
      const next = (current: ServiceCIDR | undefined) =>
        decodeKind(cidrs, { ...current, status: { conditions: [condition] } });
      await registry.update(cidrs, ref, next, context, { subresource: "status" });
    },
    held: () =>
      registry.peekAll(catalog.of(IPAddress)).map((entry) => {
        const { name: service = "" } = entry.object().spec?.parentRef ?? {};
        return `${entry.name} ${service}`;
      }),
    dropAddress: (name: string) => registry.delete(catalog.of(IPAddress), { namespace: "", name }, {}, context),
    repair: () => services.repair(registry, kind.family, true),
    async close() {
      await registry.close();
      await kv.close();
    },
  };
}

test("a range counts as full after so many addresses, however large it is", async () => {
  const kv = createMemoryKv();
  const clock = createManualClock(0);
  const catalog = createCatalog(kinds, plainEnvironment({ level: "1.35", clock, randomUid: uidsInOrder() }));
  const registry = await openRegistry({ kv, catalog, clock, log: silentLog, admission: admitAll });
  const addresses = catalog.of(IPAddress);
  const taken = { namespace: "", name: "192.0.2.1" };
  const parentRef = { resource: "services", namespace: "a", name: "x" };
  const address = decodeKind(addresses, { metadata: { name: taken.name }, spec: { parentRef } });
  await registry.create(
    addresses,
    address,
    taken,
    serverWrites("addresses of services", catalog.environment.vocabulary),
  );
  const tried: string[] = [];
  let freeAfter = addressesTriedMax - 1;
  // Every address but the last is held, as if each had the object of the one that is taken.
  const crowded: Registry = {
    ...registry,
    peek: (kind, { name }) => (tried.push(name) > freeAfter ? undefined : registry.peek(kind, taken)),
  };
  const pool = createAddressObjects({
    family: "IPv4",
    catalog,
    registry: () => crowded,
    configured: parseAddressRanges("10.0.0.0/12")[0]!,
    random: () => 0,
  });
  expect(await pool.propose?.()).toBe(tried.at(-1));
  expect(tried).toHaveLength(addressesTriedMax);
  tried.length = 0;
  freeAfter = addressesTriedMax;
  expect(await pool.propose?.()).toBeUndefined();
  expect(tried).toHaveLength(addressesTriedMax);
  await registry.close();
  await kv.close();
});

describe("addresses as objects", () => {
  test("a service holds an IPAddress, and gives it back when it is deleted", async () => {
    const server = await open();
    expect(await server.post("x")).toBe("10.0.0.1");
    expect(server.held()).toEqual(["10.0.0.1 x"]);
    await server.drop("x");
    expect(server.held()).toEqual([]);
    await server.close();
  });

  test("addresses come from every ready range; one that is not ready gives none", async () => {
    const server = await open();
    await server.addRange("one", "10.0.0.0/30", "True");
    await server.addRange("closed", "10.2.0.0/24", "False");
    const made = [await server.post("a"), await server.post("b")];
    await expect(server.post("c")).rejects.toMatchObject({ code: 422 });
    await server.addRange("two", "10.1.0.0/24");
    expect([...made, await server.post("d")]).toEqual(["10.0.0.1", "10.0.0.2", "10.1.0.17"]);
    await expect(server.post("e", { clusterIP: "10.2.0.7" })).rejects.toMatchObject({ code: 422 });
    expect(await server.post("f", { clusterIP: "10.1.0.7" })).toBe("10.1.0.7");
    await server.close();
  });

  test("an address that is held is refused, and a dry run is shown a free one without taking it", async () => {
    const server = await open();
    await server.post("x", { clusterIP: "10.0.0.2" });
    await expect(server.post("y", { clusterIP: "10.0.0.2" })).rejects.toMatchObject({ code: 422 });
    expect(await server.post("z", {}, true)).toBe("10.0.0.1");
    expect(server.held()).toEqual(["10.0.0.2 x"]);
    await server.close();
  });

  test("an address with zeros in front is kept as it was written, and held in its usual form", async () => {
    const server = await open();
    expect(await server.post("x", { clusterIP: "010.0.0.02" })).toBe("010.0.0.02");
    await expect(server.post("y", { clusterIP: "10.0.0.2" })).rejects.toMatchObject({ code: 422 });
    await server.repair();
    expect(server.held()).toEqual(["10.0.0.2 x"]);
    await server.drop("x");
    expect(server.held()).toEqual([]);
    await server.close();
  });

  test("a repair creates what is missing and leaves what is right", async () => {
    const server = await open();
    await server.post("x");
    await server.post("y");
    await server.dropAddress("10.0.0.1");
    await server.repair();
    expect(server.held()).toEqual(["10.0.0.1 x", "10.0.0.2 y"]);
    await server.close();
  });
});
