import { expect, test } from "vitest";
import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Service } from "../../api/core/v1/service.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { createFindEndpoint } from "./find-endpoint.ts";

const ports = [
  { name: "web", port: 80 },
  { name: "hooks", port: 443 },
];
const subsets = [
  { notReadyAddresses: [{ ip: "10.0.0.1" }], ports: [{ name: "hooks", port: 8443 }] },
  { addresses: [{ ip: "10.0.0.2" }, { ip: "10.0.0.3" }], ports: [{ name: "hooks", port: 8443 }] },
  { addresses: [{ ip: "10.0.0.4" }], ports: [{ name: "web", port: 8080 }] },
];

function find(service: object | undefined, endpoints: object | undefined, port = 443, random = 0) {
  const found: Record<string, object | undefined> = {
    services: service,
    endpoints: endpoints && { subsets: endpoints },
  };
  const registry = {
    peek: ({ resource }: { resource: string }) => found[resource] && { object: () => found[resource] },
  } as Pick<Registry, "peek"> as Registry; // nothing else is used
  const catalog = createCatalog([Service, Endpoints], plainEnvironment({}));
  const findEndpoint = createFindEndpoint({ registry, catalog, random: (below) => Math.min(random, below - 1) });
  return findEndpoint({ namespace: "shop", name: "hook", port });
}

test("a service is reached at one of its ready addresses, on the target port", () => {
  const service = { spec: { type: "ClusterIP", ports } };
  expect(find(service, subsets)).toEqual({ host: "10.0.0.2", port: 8443 });
  expect(find(service, subsets, 443, 1)).toEqual({ host: "10.0.0.3", port: 8443 });
  expect(find(service, subsets, 80, 5)).toEqual({ host: "10.0.0.4", port: 8080 });
});

const lacking: [why: string, run: () => unknown, message: RegExp][] = [
  ["there is no service", () => find(undefined, subsets), /service "shop\/hook" not found/],
  ["the service does not have the port", () => find({ spec: { ports } }, subsets, 8080), /no service port 8080 found/],
  [
    "the service has no endpoints",
    () => find({ spec: { ports } }, undefined),
    /no endpoints available for service "shop\/hook"/,
  ],
  ["no endpoint is ready", () => find({ spec: { ports } }, subsets.slice(0, 1)), /no endpoints available/],
  [
    "the service is an ExternalName service",
    () => find({ spec: { type: "ExternalName", ports } }, subsets),
    /type ExternalName/,
  ],
];
for (const [why, run, message] of lacking) test(`no endpoint is found if ${why}`, () => expect(run).toThrow(message));
