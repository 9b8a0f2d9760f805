import { describe, expect, test } from "vitest";
import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { silentLog } from "../../base/log.ts";
import { endpointController } from "../endpoint/wire.ts";
import { endpointSliceMirroringController } from "../endpointslicemirroring/wire.ts";
import { withControllers } from "../scenario.suite.ts";
import { hintsOf } from "./reconcile.ts";
import { endpointSliceController } from "./wire.ts";

const namespace = "default";
const ref = { namespace, name: "svc" };
const service = (spec: Partial<Service["spec"]>): Service => ({
  metadata: { ...ref },
  spec: { ports: [{ port: 80 }], ...spec },
});

describe("hints follow the traffic distribution of the service", () => {
  const place = { nodeName: "n", zone: "z" };
  const rows = [
    { prefers: undefined, at: place, hints: undefined },
    { prefers: "PreferClose", at: place, hints: { forZones: [{ name: "z" }] } },
    { prefers: "PreferSameZone", at: place, hints: { forZones: [{ name: "z" }] } },
    { prefers: "PreferSameZone", at: { nodeName: "n" }, hints: undefined },
    { prefers: "PreferSameNode", at: place, hints: { forZones: [{ name: "z" }], forNodes: [{ name: "n" }] } },
  ];
  for (const { prefers, at, hints } of rows)
    test(`${prefers ?? "none"} with ${JSON.stringify(at)}`, () => {
      const spec = prefers === undefined ? {} : { trafficDistribution: prefers };
      expect(hintsOf(service(spec), at)).toEqual(hints);
    });
});

describe("endpointslice", () => {
  test("a slice is created empty, filled, and kept when it is empty again", () =>
    withControllers([endpointSliceController], async ({ client, create, untilAll, until }) => {
      await create(Service, service({ selector: { app: "x" } }));
      const slices = (isSo: (slice: EndpointSlice) => boolean) =>
        untilAll(EndpointSlice, namespace, (all) => all.length === 1 && all.every(isSo));
      const [empty] = await slices(() => true);
      expect(empty?.metadata.labels).toEqual({
        "orch.io/service-name": "svc",
        "endpointslice.orch.io/managed-by": "endpointslice-controller.orch.io",
      });
      const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
      await create(Pod, { metadata: { name: "p", namespace, labels: { app: "x" } }, spec });
      const status = {
        podIP: "10.1.0.1",
        podIPs: [{ ip: "10.1.0.1" }],
        conditions: [{ type: "Ready", status: "True" }],
      };
      await client.of(Pod).patch({ namespace, name: "p" }, { status }, { subresource: "status" });
      // It waits for its node, by which its zone is known.
      await create(Node, { metadata: { name: "n", labels: { "topology.orch.io/zone": "z" } } });
      const [filled] = await slices(({ endpoints }) => endpoints?.length === 1);
      expect(filled?.metadata.name).toBe(empty?.metadata.name);
      expect(filled?.endpoints[0]).toMatchObject({ addresses: ["10.1.0.1"], conditions: { ready: true }, zone: "z" });
      await client.of(Pod).delete({ namespace, name: "p" }, { gracePeriodSeconds: 0 });
      const name = empty?.metadata.name ?? "";
      await until(EndpointSlice, { namespace, name }, ({ endpoints }) => (endpoints ?? []).length === 0);
    }));

  test("a slice that somebody deletes while it is updated is no failure, and is created again", async () => {
    const said: unknown[] = [];
    let deleted: string | undefined;
    await withControllers(
      [endpointSliceController],
      async ({ client, create, untilAll }) => {
        await create(Service, service({ selector: { app: "x" } }));
        await untilAll(EndpointSlice, namespace, (all) => all.length === 1);
        await client.of(Service).patch(ref, { metadata: { labels: { team: "a" } } });
        const isNew = ({ metadata }: EndpointSlice) => metadata.labels?.["team"] === "a";
        const [slice] = await untilAll(EndpointSlice, namespace, (all) => all.length === 1 && all.every(isNew));
        expect(deleted).toBeDefined();
        expect(deleted).not.toMatch(slice?.metadata.name ?? "");
      },
      {
        log: { ...silentLog, warn: (...what) => void said.push(what), error: (...what) => void said.push(what) },
        controllerFetch: (fetch) => async (path, init) => {
          if (init?.method === "PUT" && deleted === undefined) {
            deleted = path;
            await fetch(path, { method: "DELETE" });
          }
          return fetch(path, init);
        },
      },
    );
    expect(said).toEqual([]);
  });

  for (const { level, left } of [
    { level: "1.35" as const, left: 0 },
    { level: "1.21" as const, left: 1 },
  ])
    test(`at level ${level} a failed pod that its policy restarts is ${left} endpoint`, () =>
      withControllers(
        [endpointController, endpointSliceController],
        async ({ client, create, until, untilAll }) => {
          const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
          await create(Node, { metadata: { name: "n" } });
          await create(Service, service({ selector: { app: "x" } }));
          await create(Pod, { metadata: { name: "p", namespace, labels: { app: "x" } }, spec });
          const address = { podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }] };
          const setStatus = (phase: string, ready: string) =>
            client
              .of(Pod)
              .patch(
                { namespace, name: "p" },
                { status: { ...address, phase, conditions: [{ type: "Ready", status: ready }] } },
                { subresource: "status" },
              );
          const readyCounts = (slice: EndpointSlice | undefined) =>
            (slice?.endpoints ?? []).filter(({ conditions }) => conditions?.ready);
          await setStatus("Running", "True");
          await untilAll(EndpointSlice, namespace, ([slice]) => readyCounts(slice).length === 1);
          await setStatus("Failed", "False");
          const [slice] = await untilAll(EndpointSlice, namespace, ([each]) => readyCounts(each).length === 0);
          expect(slice?.endpoints ?? []).toHaveLength(left);
          const { subsets = [] } = await until(Endpoints, ref, (each) => each.subsets?.[0]?.addresses === undefined);
          expect(subsets.flatMap(({ notReadyAddresses = [] }) => notReadyAddresses)).toHaveLength(left);
        },
        { server: { emulatedVersion: level } },
      ));

  test("at level 1.35 a service that publishes all has pods whose node is missing, and others do not", () =>
    withControllers(
      [endpointSliceController],
      async ({ client, create, untilAll }) => {
        const spec = { nodeName: "gone", containers: [{ name: "c", image: "i" }] };
        await create(Pod, { metadata: { name: "p", namespace, labels: { app: "x" } }, spec });
        const status = { podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }] };
        await client.of(Pod).patch({ namespace, name: "p" }, { status }, { subresource: "status" });
        await create(Service, service({ selector: { app: "x" } }));
        const plain = await untilAll(EndpointSlice, namespace, (all) => all.length === 1);
        expect(plain[0]?.endpoints ?? []).toEqual([]);
        await client.of(Service).patch({ namespace, name: "svc" }, { spec: { publishNotReadyAddresses: true } });
        const filled = await untilAll(EndpointSlice, namespace, ([slice]) => slice?.endpoints?.length === 1);
        expect(filled[0]?.endpoints[0]).toMatchObject({
          addresses: ["10.1.0.1"],
          conditions: { ready: true, serving: false },
          nodeName: "gone",
        });
      },
      { server: { emulatedVersion: "1.35" } },
    ));

  test("at level 1.35 an annotation spreads the endpoints over the zones of the nodes", () =>
    withControllers(
      [endpointSliceController],
      async ({ client, create, untilAll }) => {
        const metadata = { ...ref, annotations: { "service.orch.io/topology-mode": "Auto" } };
        await create(Service, { ...service({ selector: { app: "x" } }), metadata });
        const setReady = (name: string) => {
          const conditions = [{ type: "Ready", status: "True" }];
          const status = { allocatable: { cpu: "4" }, capacity: { cpu: "4" }, conditions };
          return client.of(Node).patch({ name }, { status }, { subresource: "status" });
        };
        for (const zone of ["a", "b"])
          await create(Node, { metadata: { name: zone, labels: { "topology.orch.io/zone": zone } } });
        for (const [name, ip] of [
          ["p", "10.1.0.1"],
          ["q", "10.1.0.2"],
        ] as const) {
          const spec = { nodeName: "a", containers: [{ name: "c", image: "i" }] };
          await create(Pod, { metadata: { name, namespace, labels: { app: "x" } }, spec });
          const conditions = [{ type: "Ready", status: "True" }];
          const status = { podIP: ip, podIPs: [{ ip }], conditions };
          await client.of(Pod).patch({ namespace, name }, { status }, { subresource: "status" });
        }
        // A slice without endpoints, as it may be for a moment, prints null.
        const zones = (all: readonly EndpointSlice[]) =>
          all
            .flatMap(({ endpoints }) => endpoints ?? [])
            .map(({ hints }) => hints?.forZones?.[0]?.name ?? "none")
            .sort();
        await untilAll(EndpointSlice, namespace, (all) => zones(all).join() === "none,none");
        for (const zone of ["a", "b"]) await setReady(zone);
        await untilAll(EndpointSlice, namespace, (all) => zones(all).join() === "a,b");
        await client.of(Service).patch(ref, { metadata: { annotations: { "service.orch.io/topology-mode": null } } });
        await untilAll(EndpointSlice, namespace, (all) => zones(all).join() === "none,none");
      },
      { server: { emulatedVersion: "1.35" } },
    ));

  test("many pods fill slices to their limit, none twice", () =>
    withControllers(
      [endpointSliceController],
      async ({ client, create, untilAll }) => {
        await create(Service, service({ selector: { app: "x" } }));
        for (let index = 0; index < 7; index++) {
          const [name, ip] = [`p${index}`, `10.1.0.${index + 1}`];
          const spec = { containers: [{ name: "c", image: "i" }] };
          await create(Pod, { metadata: { name, namespace, labels: { app: "x" } }, spec });
          await client
            .of(Pod)
            .patch({ namespace, name }, { status: { podIP: ip, podIPs: [{ ip }] } }, { subresource: "status" });
        }
        const addresses = (all: readonly EndpointSlice[]) => all.flatMap(({ endpoints }) => endpoints ?? []);
        const slices = await untilAll(EndpointSlice, namespace, (all) => addresses(all).length === 7);
        expect(new Set(addresses(slices).map((each) => each.addresses[0])).size).toBe(7);
        expect(slices.every(({ endpoints }) => endpoints.length <= 3)).toBe(true);
      },
      { settings: { maxEndpointsPerSlice: 3 } },
    ));
});

describe("endpointslicemirroring", () => {
  const subsets = [{ addresses: [{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }], ports: [{ port: 9376 }] }];

  test("IP families are mirrored separately, and a skip label ends mirroring", () =>
    withControllers([endpointSliceMirroringController], async ({ client, create, untilAll }) => {
      await create(Service, service({}));
      await create(Endpoints, { metadata: { ...ref, labels: { team: "a" }, annotations: { note: "x" } }, subsets });
      const slices = await untilAll(EndpointSlice, namespace, (all) => all.length === 2);
      expect(slices.map(({ addressType }) => addressType).sort()).toEqual(["IPv4", "IPv6"]);
      expect(slices[0]?.metadata.labels).toEqual({
        team: "a",
        "orch.io/service-name": "svc",
        "endpointslice.orch.io/managed-by": "endpointslicemirroring-controller.orch.io",
      });
      expect(slices[0]?.metadata.annotations).toEqual({ note: "x" });
      const labels = { "endpointslice.orch.io/skip-mirror": "true" };
      await client.of(Endpoints).patch(ref, { metadata: { labels } });
      await untilAll(EndpointSlice, namespace, (all) => all.length === 0);
    }));

  test("a selector of the service ends mirroring", () =>
    withControllers([endpointSliceMirroringController], async ({ client, create, untilAll }) => {
      await create(Service, service({}));
      await create(Endpoints, { metadata: { ...ref }, subsets });
      await untilAll(EndpointSlice, namespace, (all) => all.length === 2);
      await client.of(Service).patch(ref, { spec: { selector: { app: "x" } } });
      await untilAll(EndpointSlice, namespace, (all) => all.length === 0);
    }));
});
