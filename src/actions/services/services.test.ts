/** Allocations of services, and what happens to them on updates and deletes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { claimed, openServiceServer, refusal } from "./services.suite.ts";

const web = { ports: [{ port: 80 }] };

describe("addresses", () => {
  test("a service gets an address of the range, and keeps it until it is deleted", async () => {
    const kv = createMemoryKv();
    const { post, drop, registry } = await openServiceServer({ kv });
    const spec = await post("a", web);
    expect(spec).toMatchObject({ clusterIP: "10.0.0.128", clusterIPs: ["10.0.0.128"], ipFamilies: ["IPv4"] });
    expect(spec["ipFamilyPolicy"]).toBe("SingleStack");
    expect(await refusal(post("b", { ...web, clusterIP: "10.0.0.128" }))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.clusterIPs"],
    });
    await drop("a");
    expect(await claimed(kv)).toEqual([]);
    expect(await post("b", { ...web, clusterIP: "10.0.0.128" })).toMatchObject({ clusterIP: "10.0.0.128" });
    await registry.close();
  });

  test("an address outside the range, and its network and broadcast addresses, are refused", async () => {
    const { post, registry } = await openServiceServer();
    for (const clusterIP of ["10.0.1.1", "10.0.0.0", "10.0.0.255"]) {
      expect(await refusal(post("a", { ...web, clusterIP }))).toEqual({
        code: 422,
        causes: ["FieldValueInvalid spec.clusterIPs"],
      });
    }
    await registry.close();
  });

  test("a failed write frees what it allocated", async () => {
    const kv = createMemoryKv();
    const { post, registry } = await openServiceServer({
      kv,
      mutate() {
        throw new StatusError("Forbidden", "no");
      },
    });
    expect(await refusal(post("a", { ...web, type: "NodePort" }))).toMatchObject({ code: 403 });
    expect(await claimed(kv)).toEqual([]);
    await registry.close();
  });

  test("a second service of the same name allocates nothing", async () => {
    const kv = createMemoryKv();
    const { post, registry } = await openServiceServer({ kv });
    await post("a", web);
    const before = await claimed(kv);
    expect(await refusal(post("a", web))).toMatchObject({ code: 409 });
    expect(await claimed(kv)).toEqual(before);
    await registry.close();
  });

  test("a dry run shows no address and allocates none", async () => {
    const kv = createMemoryKv();
    const { post, registry } = await openServiceServer({ kv });
    const spec = await post("a", { ...web, type: "NodePort" }, { dryRun: true });
    expect(spec).toMatchObject({ ipFamilies: ["IPv4"], ports: [{ nodePort: 32_769 }] });
    expect(spec["clusterIP"]).toBeUndefined();
    expect(await claimed(kv)).toEqual([]);
    await registry.close();
  });

  test("when all addresses are in use the next service is refused, until one becomes free", async () => {
    const { post, drop, registry } = await openServiceServer({ addresses: "10.0.0.0/30" });
    await post("a", web);
    await post("b", web);
    expect(await refusal(post("c", web))).toMatchObject({ code: 422 });
    await drop("a");
    expect(await post("c", web)).toMatchObject({ clusterIP: "10.0.0.2" });
    await registry.close();
  });

  test("when all node ports are in use the next service is refused with its field, until one becomes free", async () => {
    const { post, drop, registry } = await openServiceServer({ ports: "30000-30000" });
    const open = { type: "NodePort", ports: [{ port: 1 }] };
    await post("a", open);
    expect(await refusal(post("b", open))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.ports[0].nodePort"],
    });
    await drop("a");
    expect(await post("b", open)).toMatchObject({ ports: [{ nodePort: 30_000 }] });
    await registry.close();
  });

  test("a headless service and an ExternalName service have no address", async () => {
    const kv = createMemoryKv();
    const { post, registry } = await openServiceServer({ kv });
    expect(await post("a", { clusterIP: "None" })).toMatchObject({
      clusterIPs: ["None"],
      ipFamilyPolicy: "RequireDualStack",
      ipFamilies: ["IPv4", "IPv6"],
    });
    await post("b", { type: "ExternalName", externalName: "x.example" });
    expect(await claimed(kv)).toEqual([]);
    await registry.close();
  });

  test("a service that becomes ExternalName releases its address and ports", async () => {
    const kv = createMemoryKv();
    const { post, change, registry } = await openServiceServer({ kv });
    await post("a", { ...web, type: "NodePort" });
    expect(await claimed(kv)).toHaveLength(2);
    const named = await change("a", (spec) => ({ ...spec, type: "ExternalName", externalName: "x.example" }));
    expect(named["externalTrafficPolicy"]).toBeUndefined();
    expect(await claimed(kv)).toEqual([]);
    const back = await change("a", ({ externalName: _, ...spec }) => ({ ...spec, type: "ClusterIP" }));
    expect(back).toMatchObject({ clusterIP: "10.0.0.128" });
    await registry.close();
  });
});

describe("two IP families", () => {
  const addresses = "10.0.0.0/24,fd00::/112";

  test("a service that prefers both gets one address of each", async () => {
    const { post, registry } = await openServiceServer({ addresses });
    expect(await post("a", { ...web, ipFamilyPolicy: "PreferDualStack" })).toMatchObject({
      clusterIPs: ["10.0.0.128", "fd00::8000"],
      ipFamilies: ["IPv4", "IPv6"],
    });
    await registry.close();
  });

  test("a service may get the second family later and release it again", async () => {
    const kv = createMemoryKv();
    const { post, change, registry } = await openServiceServer({ addresses, kv });
    await post("a", web);
    const both = await change("a", (spec) => ({ ...spec, ipFamilyPolicy: "RequireDualStack" }));
    expect(both["clusterIPs"]).toEqual(["10.0.0.128", "fd00::8000"]);
    const one = await change("a", (spec) => ({ ...spec, ipFamilyPolicy: "SingleStack" }));
    expect(one).toMatchObject({ clusterIPs: ["10.0.0.128"], ipFamilies: ["IPv4"] });
    expect(await claimed(kv)).toEqual(["IPv4/10.0.0.128"]);
    await registry.close();
  });

  test("a family that the cluster does not have is refused", async () => {
    const { post, registry } = await openServiceServer();
    expect(await refusal(post("a", { ...web, ipFamilyPolicy: "RequireDualStack" }))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.ipFamilyPolicy"],
    });
    expect(await refusal(post("a", { ...web, ipFamilies: ["IPv6"] }))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.ipFamilies[0]"],
    });
    expect(await refusal(post("a", { ...web, clusterIP: "fd00::1" }))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.clusterIPs[0]"],
    });
    // Who names two families requires both, and who requires both and names one means both.
    expect(await refusal(post("a", { ...web, ipFamilies: ["IPv4"], ipFamilyPolicy: "RequireDualStack" }))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.ipFamilyPolicy", "FieldValueInvalid spec.ipFamilies[1]"],
    });
    expect(await refusal(post("a", { ...web, ipFamilies: ["IPv4", "IPv6"] }))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.ipFamilyPolicy", "FieldValueInvalid spec.ipFamilies[1]"],
    });
    await registry.close();
  });

  test("since 1.23 a service keeps both addresses and its policy through a PUT that does not state them", async () => {
    for (const ipFamilyPolicy of ["PreferDualStack", "RequireDualStack"]) {
      const { post, change, registry } = await openServiceServer({ addresses, level: "1.35" });
      const { clusterIPs } = await post("a", { ...web, ipFamilyPolicy });
      expect(clusterIPs).toHaveLength(2);
      const again = await change("a", () => ({ ...web, publishNotReadyAddresses: true }));
      expect(again).toMatchObject({ clusterIPs, ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy });
      await registry.close();
    }
  });

  test("a service that names two families requires both", async () => {
    const { post, registry } = await openServiceServer({ addresses });
    expect(await post("a", { ...web, ipFamilies: ["IPv6", "IPv4"] })).toMatchObject({
      clusterIP: "fd00::8000",
      ipFamilyPolicy: "RequireDualStack",
    });
    await registry.close();
  });

  test("a service that preferred both families when there was one gets no second address by an update", async () => {
    const kv = createMemoryKv();
    const before = await openServiceServer({ kv });
    await before.post("a", { ...web, ipFamilyPolicy: "PreferDualStack" });
    await before.registry.close();
    const { change, registry } = await openServiceServer({ kv, addresses });
    const again = await change("a", (spec) => ({ ...spec, publishNotReadyAddresses: true }));
    expect(again).toMatchObject({ clusterIPs: ["10.0.0.128"], ipFamilies: ["IPv4"] });
    await registry.close();
  });

  test("a headless service that gets a selector and names no family has the default family", async () => {
    const { post, change, registry } = await openServiceServer();
    await post("a", { clusterIP: "None" });
    expect(await change("a", () => ({ clusterIP: "None", selector: { app: "a" } }))).toMatchObject({
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
    });
    await registry.close();
  });
});

describe("node ports", () => {
  test("each port gets a node port, and two protocols of one port share it", async () => {
    const { post, registry } = await openServiceServer();
    const spec = await post("a", {
      type: "NodePort",
      ports: [
        { name: "t", port: 53 },
        { name: "u", port: 53, protocol: "UDP" },
        { name: "w", port: 80 },
      ],
    });
    expect((spec["ports"] as { nodePort: number }[]).map(({ nodePort }) => nodePort)).toEqual([31_384, 31_384, 31_385]);
    await registry.close();
  });

  test("a node port that is in use or outside the range is refused", async () => {
    const kv = createMemoryKv();
    const { post, registry } = await openServiceServer({ kv });
    await post("a", { type: "NodePort", ports: [{ port: 1, nodePort: 30_001 }] });
    const before = await claimed(kv);
    for (const nodePort of [30_001, 29_999, -1]) {
      expect(await refusal(post("b", { type: "NodePort", ports: [{ port: 1, nodePort }] }))).toEqual({
        code: 422,
        causes: ["FieldValueInvalid spec.ports[0].nodePort"],
      });
    }
    expect(await claimed(kv)).toEqual(before);
    await registry.close();
  });

  test("one node port cannot serve two ports of a service", async () => {
    const { post, registry } = await openServiceServer();
    const ports = [
      { name: "t", port: 1, nodePort: 30_001 },
      { name: "u", port: 2, nodePort: 30_001, protocol: "UDP" },
    ];
    expect(await refusal(post("a", { type: "NodePort", ports }))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.ports[1].nodePort"],
    });
    await registry.close();
  });

  test("an update without node ports keeps them", async () => {
    const { post, change, registry } = await openServiceServer();
    const spec = await post("a", { type: "NodePort", ports: [{ port: 1, nodePort: 30_001 }] });
    expect(spec["ports"]).toMatchObject([{ nodePort: 30_001 }]);
    expect(await change("a", (now) => ({ ...now, ports: [{ port: 2 }] }))).toMatchObject({
      ports: [{ port: 2, nodePort: 30_001 }],
    });
    await registry.close();
  });

  test("a load balancer with the policy Local gets a health check port, which cannot be changed", async () => {
    const kv = createMemoryKv();
    const { post, change, registry } = await openServiceServer({ kv });
    const balancer = { ...web, type: "LoadBalancer", externalTrafficPolicy: "Local" };
    expect(await post("a", balancer)).toMatchObject({ healthCheckNodePort: 31_385 });
    expect(await refusal(change("a", (spec) => ({ ...spec, healthCheckNodePort: 30_002 })))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.healthCheckNodePort"],
    });
    await change("a", (spec) => ({ ...spec, externalTrafficPolicy: "Cluster", healthCheckNodePort: 30_002 }));
    expect(await claimed(kv)).toEqual(["IPv4/10.0.0.128", "node-ports/31384"]);
    await registry.close();
  });

  test("a health check port that is in use is refused", async () => {
    const { post, registry } = await openServiceServer();
    const balancer = { ...web, type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 29_999 };
    expect(await refusal(post("a", balancer))).toEqual({
      code: 422,
      causes: ["FieldValueInvalid spec.healthCheckNodePort"],
    });
    await registry.close();
  });

  test("a dry run proposes node ports that do not collide with the requested ones", async () => {
    const { post, registry } = await openServiceServer();
    const ports = [
      { name: "a", port: 1, nodePort: 30_001 },
      { name: "b", port: 2 },
    ];
    const spec = await post("a", { type: "NodePort", ports }, { dryRun: true });
    expect(spec["ports"]).toMatchObject([{ nodePort: 30_001 }, { nodePort: 30_002 }]);
    await registry.close();
  });
});

test("under concurrent creates, updates and deletes of two servers nothing is allocated twice and everything is released", async () => {
  const step = fc.record({
    server: fc.nat(1),
    name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    what: fc.constantFrom("create", "create", "delete", "expose", "hide"),
    ip: fc.option(fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3"), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), fc.nat(6), async (steps, seed) => {
      const kv = createMemoryKv();
      let state = seed;
      const random = (below: number) => {
        state = (state * 48_271 + 11) % 2_147_483_647;
        return state % below;
      };
      const options = { kv, random, addresses: "10.0.0.0/29", ports: "30000-30007" };
      const servers = [await openServiceServer(options), await openServiceServer(options)];
      // All at once: the order in which they reach the store is up to the event loop.
      await Promise.allSettled(
        steps.map(({ server, name, what, ip }) => {
          const on = servers[server] ?? servers[0]!;
          if (what === "create") return on.post(name, { ...web, ...(ip === undefined ? {} : { clusterIP: ip }) });
          if (what === "delete") return on.drop(name);
          const type = what === "expose" ? "NodePort" : "ClusterIP";
          return on.change(name, (spec) => ({ ...spec, type }));
        }),
      );
      const [first] = servers;
      const { entries } = await first!.registry.list(first!.kind, { namespace: "" });
      const held = entries.flatMap((entry) => {
        const { clusterIPs, ports } = entry.object()["spec"] as {
          clusterIPs: string[];
          ports: { nodePort?: number }[];
        };
        const numbers = ports.flatMap(({ nodePort }) => (nodePort ? [`node-ports/${nodePort}`] : []));
        return [...clusterIPs.map((ip) => `IPv4/${ip}`), ...numbers];
      });
      expect(new Set(held).size).toBe(held.length);
      expect(await claimed(kv)).toEqual([...held].sort());
      for (const { name } of entries) await first!.drop(name);
      expect(await claimed(kv)).toEqual([]);
      for (const { registry } of servers) await registry.close();
      await kv.close();
    }),
    { numRuns: 60 },
  );
});
