import { describe, expect, test } from "vitest";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { addressesMax } from "./v1/endpoint.ts";
import { EndpointSlice } from "./v1/endpoint-slice.ts";
import { endpointsMax, portsMax } from "./v1/validate-endpoint-slice.ts";
import { EndpointSlice as Beta } from "./v1beta1/endpoint-slice.ts";

const { version } = bindVersions([EndpointSlice, Beta]);
const v1 = version("v1");
const beta = version("v1beta1");
const slice = (parts: object) => ({ metadata: { name: "x" }, addressType: "IPv4", endpoints: [], ports: [], ...parts });
const at = (endpoint: object) => slice({ endpoints: [{ addresses: ["10.0.0.1"], ...endpoint }] });
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("an endpoint slice", () => {
  const cases = [
    { why: "must have an address type", body: slice({ addressType: "" }), problems: ["Required addressType"] },
    {
      why: "must have a known address type",
      body: slice({ addressType: "IPX" }),
      problems: ["NotSupported addressType"],
    },
    {
      why: "must have addresses of its type",
      body: at({ addresses: ["fd00::1", "host"] }),
      problems: ["Invalid endpoints[0].addresses[0]", "Invalid endpoints[0].addresses[1]"],
    },
    {
      why: "must not have loopback or link-local addresses",
      body: at({ addresses: ["127.0.0.1", "169.254.1.1"] }),
      problems: ["Invalid endpoints[0].addresses[0]", "Invalid endpoints[0].addresses[1]"],
    },
    {
      why: "must have fully qualified domain names for the type FQDN",
      body: slice({ addressType: "FQDN", endpoints: [{ addresses: ["", "host", "a.example."] }] }),
      problems: ["Invalid endpoints[0].addresses[1]", "Required endpoints[0].addresses[0]"],
    },
    {
      why: "must have an address in each endpoint",
      body: at({ addresses: [] }),
      problems: ["Required endpoints[0].addresses"],
    },
    {
      why: "must not have too many addresses in an endpoint",
      body: at({ addresses: many(addressesMax + 1).map((i) => `10.0.0.${i}`) }),
      problems: ["TooMany endpoints[0].addresses"],
    },
    {
      why: "must not have too many endpoints",
      body: slice({ endpoints: many(endpointsMax + 1).map(() => ({})) }),
      problems: ["TooMany endpoints"],
    },
    {
      why: "must not have too many ports",
      body: slice({ ports: many(portsMax + 1).map((i) => ({ name: `p${i}` })) }),
      problems: ["TooMany ports"],
    },
    {
      why: "must have unique, valid port names and known protocols",
      body: slice({ ports: [{ port: 1 }, { port: 2 }, { name: "B", protocol: "X" }] }),
      problems: ["Duplicate ports[1].name", "Invalid ports[2].name", "NotSupported ports[2].protocol"],
    },
  ];
  for (const { why, body, problems } of cases) {
    test(why, () => expect(create(v1, body).problems).toEqual(problems));
  }

  test("may have as many ports as a service", () => {
    const ports = many(portsMax).map((i) => ({ name: `p${i}`, port: i + 1 }));
    expect(ports.length).toBe(20_000);
    expect(create(v1, slice({ ports })).problems).toEqual([]);
  });

  test("treats an IPv4-mapped IPv6 address as IPv4", () => {
    const mapped = [{ addresses: ["::ffff:10.0.0.1"] }];
    expect(create(v1, slice({ endpoints: mapped })).problems).toEqual([]);
    expect(create(v1, slice({ addressType: "IPv6", endpoints: mapped })).problems).toEqual([
      "Invalid endpoints[0].addresses[0]",
    ]);
  });

  test("must not change its address type", () => {
    expect(update(v1, slice({ addressType: "IPv6" }), create(v1, slice({}))).problems).toEqual(["Invalid addressType"]);
  });

  test("raises its generation when its labels change", () => {
    const next = { ...slice({}), metadata: { name: "x", labels: { a: "b" } } };
    expect(update(v1, next, create(v1, slice({}))).hub.metadata.generation).toBe(2);
  });

  test("drops fields of disabled features, and prints empty lists as null", () => {
    const { object } = create(
      v1,
      at({ conditions: { ready: true, serving: true }, hints: { forZones: [{ name: "a" }] } }),
    );
    expect(object["endpoints"]).toEqual([{ addresses: ["10.0.0.1"], conditions: { ready: true } }]);
    expect(create(v1, slice({})).object).toMatchObject({ endpoints: null, ports: null });
  });
});

describe("topology", () => {
  const topology = { "topology.orch.io/zone": "z", "orch.io/hostname": "n", custom: "c" };

  test("can be set through v1beta1 only, and is kept by v1", () => {
    const before = create(beta, at({ nodeName: "n", topology }));
    expect(before.hub["endpoints"]).toEqual([
      { addresses: ["10.0.0.1"], conditions: {}, nodeName: "n", zone: "z", deprecatedTopology: { custom: "c" } },
    ]);
    expect(update(v1, before.hub, before).hub["endpoints"]).toEqual(before.hub["endpoints"]);
    expect(create(v1, at({ deprecatedTopology: { a: "b" } })).hub["endpoints"]).toEqual([
      { addresses: ["10.0.0.1"], conditions: {} },
    ]);
  });

  test("is converted to nodeName when v1 changes endpoints", () => {
    const before = create(beta, at({ topology: { "orch.io/hostname": "n" } }));
    const next = slice({ endpoints: [{ addresses: ["10.0.0.2"], deprecatedTopology: { "orch.io/hostname": "n" } }] });
    expect(update(v1, next, before).hub["endpoints"]).toEqual([
      { addresses: ["10.0.0.2"], conditions: {}, nodeName: "n" },
    ]);
  });

  test("gets the node name in place of an empty host name", () => {
    const { object } = create(beta, at({ nodeName: "n", topology: { "orch.io/hostname": "" } }));
    expect(object["endpoints"]).toMatchObject([{ nodeName: "n", topology: { "orch.io/hostname": "n" } }]);
  });

  test("has the zone and the node of v1 in v1beta1", () => {
    const { hub } = create(v1, at({ nodeName: "n", zone: "z" }));
    expect(beta.fromHub(hub)["endpoints"]).toMatchObject([
      { nodeName: "n", topology: { "topology.orch.io/zone": "z", "orch.io/hostname": "n" } },
    ]);
  });
});

test("the row shows ports and the first three addresses", () => {
  const endpoints = [{ addresses: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"] }];
  const { object } = create(v1, slice({ endpoints, ports: [{ port: 80 }, { name: "any" }] }));
  expect(tableRow(v1, object, v1.family.environment).slice(1, 4)).toEqual([
    "IPv4",
    "80,any",
    "10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...",
  ]);
});
