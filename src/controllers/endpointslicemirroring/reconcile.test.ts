import { describe, expect, test } from "vitest";
import type { Endpoints } from "../../api/core/v1/endpoints.ts";
import type { Service } from "../../api/core/v1/service.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { finish } from "../../base/time-slice.ts";
import { orch } from "../../vocabulary/orch.ts";
import { sliceKeys } from "../parts/slices/keys.ts";
import { planMirror } from "./reconcile.ts";

const keys = sliceKeys(orch);
const context = { keys, addressesMax: 3, owner: { apiVersion: "v1", kind: "Endpoints" } };
const service: Service = { metadata: { namespace: "ns", name: "outside" }, spec: {} };
const ports = [{ name: "http", port: 80, protocol: "TCP" }];
const one = { addresses: [{ ip: "192.0.2.1" }], ports };
const endpointsOf = (subsets: Endpoints["subsets"], metadata: Endpoints["metadata"] = {}): Endpoints => ({
  metadata: { namespace: "ns", name: "outside", uid: "u", ...metadata },
  ...(subsets ? { subsets } : {}),
});
const plan = (
  endpoints: Endpoints | undefined,
  slices: readonly EndpointSlice[] = [],
  of: Service | undefined = service,
) => finish(planMirror(endpoints, of, slices, context));
/** As the server has them. */
const stored = (endpoints: Endpoints): EndpointSlice[] =>
  plan(endpoints).create.map((slice, index) => ({
    ...slice,
    metadata: { ...slice.metadata, name: `outside-${index}`, resourceVersion: "1" },
  }));
const counts = ({ create, update, delete: doomed }: ReturnType<typeof plan>) => [
  create.length,
  update.length,
  doomed.length,
];

test("a mirror has the addresses, ports, labels and annotations of the Endpoints, which own it", () => {
  const address = { ip: "192.0.2.1", hostname: "h", nodeName: "n", targetRef: { kind: "Pod", name: "p" } };
  const metadata = {
    labels: { app: "x", [keys.managedBy]: "me" },
    annotations: { note: "y", [keys.triggerTime]: "t", [keys.lastApplied]: "{}" },
  };
  const { create, events } = plan(endpointsOf([{ addresses: [address], ports: [{ port: 80 }] }], metadata));
  expect(create).toEqual([
    {
      metadata: {
        generateName: "outside-",
        namespace: "ns",
        labels: { app: "x", [keys.serviceName]: "outside", [keys.managedBy]: keys.mirroring },
        annotations: { note: "y" },
        ownerReferences: [
          {
            apiVersion: "v1",
            kind: "Endpoints",
            name: "outside",
            uid: "u",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: "IPv4",
      ports: [{ name: "", port: 80, protocol: "TCP" }],
      endpoints: [
        {
          addresses: ["192.0.2.1"],
          conditions: { ready: true },
          hostname: "h",
          nodeName: "n",
          targetRef: { kind: "Pod", name: "p" },
        },
      ],
    },
  ]);
  expect(events).toEqual([]);
});

describe("which Endpoints are mirrored", () => {
  const skipped = (value: string) => endpointsOf([one], { labels: { [keys.skipMirror]: value } });
  const leader = endpointsOf([one], { annotations: { [keys.leader]: "{}" } });
  const selecting: Service = { ...service, spec: { selector: { app: "x" } } };
  const existing = stored(endpointsOf([one]));
  const rows = [
    { why: "those of a service without a selector", given: plan(endpointsOf([one])), made: [1, 0, 0] },
    {
      why: "those of a headless one as well",
      given: plan(endpointsOf([one]), [], { ...service, spec: { clusterIP: "None" } }),
      made: [1, 0, 0],
    },
    {
      why: "none without a service",
      given: finish(planMirror(endpointsOf([one]), undefined, existing, context)),
      made: [0, 0, 1],
    },
    {
      why: "none of a service that selects pods",
      given: plan(endpointsOf([one]), existing, selecting),
      made: [0, 0, 1],
    },
    { why: "none with the label that opts out", given: plan(skipped("true"), existing), made: [0, 0, 1] },
    { why: "those with another value of the label", given: plan(skipped("yes")), made: [1, 0, 0] },
    { why: "none that serve as a leader election lock", given: plan(leader, existing), made: [0, 0, 1] },
    { why: "slices of deleted Endpoints are deleted", given: plan(undefined, existing), made: [0, 0, 1] },
    { why: "empty Endpoints need no slice", given: plan(endpointsOf(undefined), existing), made: [0, 0, 1] },
    { why: "a subset without addresses needs no slice", given: plan(endpointsOf([{ ports }])), made: [0, 0, 0] },
    {
      why: "nothing new for terminating Endpoints",
      given: plan(endpointsOf([one], { deletionTimestamp: "t" })),
      made: [0, 0, 0],
    },
  ];
  for (const { why, given, made } of rows) test(why, () => expect(counts(given)).toEqual(made));
});

describe("one slice for each kind of address and each set of ports", () => {
  const both = { addresses: [{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }], ports };
  const other = { addresses: [{ ip: "192.0.2.2" }], ports: [{ name: "https", port: 443, protocol: "TCP" }] };
  const types = (subsets: Endpoints["subsets"]) =>
    plan(endpointsOf(subsets))
      .create.map(({ addressType, ports }) => `${addressType} ${ports?.[0]?.port}`)
      .sort();
  test("by address", () => expect(types([both])).toEqual(["IPv4 80", "IPv6 80"]));
  test("by port", () => expect(types([one, other])).toEqual(["IPv4 443", "IPv4 80"]));
  test("subsets with the same ports are one", () =>
    expect(types([one, { ...one, addresses: [{ ip: "192.0.2.9" }] }])).toEqual(["IPv4 80"]));
  test("addresses that are not ready are in the same slice", () => {
    const { create } = plan(endpointsOf([{ ...one, notReadyAddresses: [{ ip: "192.0.2.2" }] }]));
    expect(create[0]?.endpoints.map(({ conditions }) => conditions?.ready)).toEqual([true, false]);
  });
});

describe("an existing slice", () => {
  const endpoints = endpointsOf([one]);
  test("is not written when nothing changes", () =>
    expect(counts(plan(endpoints, stored(endpoints)))).toEqual([0, 0, 0]));
  test("follows addresses", () => {
    const more = endpointsOf([{ ...one, addresses: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }] }]);
    const { update } = plan(more, stored(endpoints));
    expect(update[0]?.metadata.name).toBe("outside-0");
    expect(update[0]?.endpoints).toHaveLength(2);
  });
  test("follows labels", () =>
    expect(counts(plan(endpointsOf([one], { labels: { app: "y" } }), stored(endpoints)))).toEqual([0, 1, 0]));
  test("keeps its name when the ports change", () => {
    const moved = plan(endpointsOf([{ ...one, ports: [{ ...ports[0], port: 81 }] }]), stored(endpoints));
    expect([counts(moved), moved.update[0]?.metadata.name]).toEqual([[0, 1, 0], "outside-0"]);
  });
  test("becomes one slice", () => {
    const [first] = stored(endpoints);
    if (first === undefined) throw new Error("there is a slice");
    const twice = [first, { ...first, metadata: { ...first.metadata, name: "second" } }];
    expect(plan(endpoints, twice).delete.map(({ metadata }) => metadata.name)).toEqual(["second"]);
  });
});

test("addresses beyond the limit of a subset are omitted, ready ones last, with an Event", () => {
  const ips = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ ip: `192.0.2.${from + index}` }));
  const { create, events } = plan(endpointsOf([{ addresses: ips(1, 2), notReadyAddresses: ips(10, 3), ports }]));
  expect(create[0]?.endpoints.map(({ addresses }) => addresses[0])).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.10"]);
  expect(events).toEqual([
    {
      type: "Warning",
      reason: "TooManyAddressesToMirror",
      message: expect.stringContaining("2 addresses were skipped"),
    },
  ]);
});

test("invalid addresses are omitted, with an Event", () => {
  const { create, events } = plan(endpointsOf([{ addresses: [{ ip: "host" }, { ip: "192.0.2.1" }], ports }]));
  expect(create[0]?.endpoints).toHaveLength(1);
  expect(events).toEqual([
    { type: "Warning", reason: "InvalidIPAddress", message: expect.stringContaining("1 invalid IP addresses") },
  ]);
});
