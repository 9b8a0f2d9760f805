import { expect, test } from "vitest";
import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Service } from "../../api/core/v1/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { EndpointSlice as EarlyEndpointSlice } from "../../api/discovery/v1beta1/endpoint-slice.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { ObservedChange, Registry } from "../../registry/contract/registry.ts";
import { createFindEndpoint } from "./find-endpoint.ts";
import { followServiceSubsets } from "./service-subsets.ts";

const ports = [
  { name: "web", port: 80 },
  { name: "hooks", port: 443 },
];
const service = { spec: { type: "ClusterIP", ports } };
const subsets = [
  { notReadyAddresses: [{ ip: "10.0.0.1" }], ports: [{ name: "hooks", port: 8443 }] },
  { addresses: [{ ip: "10.0.0.2" }, { ip: "10.0.0.3" }], ports: [{ name: "hooks", port: 8443 }] },
  { addresses: [{ ip: "10.0.0.4" }], ports: [{ name: "web", port: 8080 }] },
];

interface Found {
  readonly service?: object | undefined;
  /** Of the Endpoints. */
  readonly subsets?: object;
  readonly slices?: readonly Entry[];
}

function setUp({ service, subsets, slices = [] }: Found, level: "1.21" | "1.35") {
  const found: Record<string, object | undefined> = { services: service, endpoints: subsets && { subsets } };
  const observers: ((change: ObservedChange) => void)[] = [];
  const registry = {
    peek: ({ resource }: { resource: string }) => found[resource] && { object: () => found[resource] },
    peekAll: () => slices,
    observe: (_kind: unknown, observer: (typeof observers)[number]) => observers.push(observer),
  } as Partial<Record<keyof Registry, unknown>> as Registry; // nothing else is used
  const catalog = createCatalog([Service, Endpoints, EndpointSlice, EarlyEndpointSlice], plainEnvironment({ level }));
  const all = followServiceSubsets(registry, catalog);
  const ask = (port: number, random: number) =>
    createFindEndpoint({ registry, catalog, subsets: all, random: (below) => Math.min(random, below - 1) })({
      namespace: "shop",
      name: "hook",
      port,
    });
  const change = (entry: Entry, deleted = false) => {
    for (const observer of observers) observer({ entry, deleted });
  };
  return { ask, change };
}

const find = (found: Found, port = 443, random = 0, level: "1.21" | "1.35" = "1.21") =>
  setUp(found, level).ask(port, random);

test("a service is reached at one of its ready addresses, on the target port", () => {
  expect(find({ service, subsets })).toEqual({ host: "10.0.0.2", port: 8443 });
  expect(find({ service, subsets }, 443, 1)).toEqual({ host: "10.0.0.3", port: 8443 });
  expect(find({ service, subsets }, 80, 5)).toEqual({ host: "10.0.0.4", port: 8080 });
});

test("an ExternalName service is reached by its name, on the port that is asked for", () => {
  const external = { spec: { type: "ExternalName", externalName: "hooks.example.com" } };
  for (const level of ["1.21", "1.35"] as const)
    expect(find({ service: external }, 8443, 0, level)).toEqual({ host: "hooks.example.com", port: 8443 });
});

const lacking: [why: string, run: () => unknown, message: RegExp][] = [
  ["there is no service", () => find({ subsets }), /service "shop\/hook" not found/],
  ["the service does not have the port", () => find({ service, subsets }, 8080), /no service port 8080 found/],
  ["the service has no endpoints", () => find({ service }), /no endpoints available for service "shop\/hook"/],
  ["no endpoint is ready", () => find({ service, subsets: subsets.slice(0, 1) }), /no endpoints available/],
  ["the external name is empty", () => find({ service: { spec: { type: "ExternalName" } } }), /has no externalName/],
];
for (const [why, run, message] of lacking) test(`no endpoint is found if ${why}`, () => expect(run).toThrow(message));

const slice = (name: string, endpoints: readonly object[], more: object = {}, of = "hook") => {
  const object = { metadata: {}, addressType: "IPv4", endpoints, ports: [{ name: "hooks", port: 9443 }], ...more };
  const labels = new Map([["orch.io/service-name", of]]);
  return { namespace: "shop", name, labels, object: () => object } as Partial<Entry> as Entry; // nothing else is used
};
const at = (address: string, conditions?: object) => ({ addresses: [address], conditions });

test("at level 1.35 the ready endpoints of slices count, and at 1.21 Endpoints alone", () => {
  const slices = [
    slice("a", [at("10.1.0.1", { ready: false, serving: true, terminating: true }), at("10.1.0.2", { ready: true })]),
    slice("b", [at("10.1.0.3")]),
    slice("c", [at("10.1.0.4")], { ports: [{ name: "web", port: 1 }] }),
    slice("d", [at("10.1.0.5")], { ports: [{ name: "hooks" }] }),
    slice("e", [at("pods.example.com")], { addressType: "FQDN" }),
    slice("f", [at("10.1.0.6")], {}, "other"),
  ];
  const hosts = [0, 1, 2, 3].map((random) => find({ service, subsets, slices }, 443, random, "1.35").host);
  expect(hosts).toEqual(["10.1.0.2", "10.1.0.3", "10.1.0.3", "10.1.0.3"]);
  expect(find({ service, subsets, slices })).toEqual({ host: "10.0.0.2", port: 8443 });
});

test("at level 1.35 Endpoints count where a service has no slices", () => {
  expect(find({ service, subsets }, 443, 0, "1.35")).toEqual({ host: "10.0.0.2", port: 8443 });
  expect(() => find({ service, subsets, slices: [slice("a", [])] }, 443, 0, "1.35")).toThrow("no endpoints available");
});

test("changes of slices count at once: new addresses, another service, and their end", () => {
  const { ask, change } = setUp({ service, slices: [slice("a", [at("10.1.0.1")])] }, "1.35");
  change(slice("a", [at("10.1.0.2")]));
  expect(ask(443, 0).host).toBe("10.1.0.2");
  change(slice("b", [at("10.1.0.3")]));
  change(slice("a", [at("10.1.0.2")], {}, "other"));
  expect(ask(443, 0).host).toBe("10.1.0.3");
  change(slice("b", [at("10.1.0.3")]), true);
  expect(() => ask(443, 0)).toThrow("no endpoints available");
});
