/** Validation, defaults and updates of services. */

import { describe, expect, test } from "vitest";
import { bindVersions, create, testEnvironment, update as updateAt } from "../../life.suite.ts";
import { environment, inspect } from "./core.suite.ts";
import { Service } from "./service.ts";

const { kind, make, update, problems, problemsOfUpdate, problemsOfStatus, cells } = inspect(Service);
const ports = [{ port: 80 }];
const headless = { clusterIP: "None", ports };

describe("a new service is refused where", () => {
  const cases = [
    { why: "it has no ports", spec: {}, found: ["FieldValueRequired spec.ports"] },
    {
      why: "several ports have no names, bad ones or the same",
      spec: {
        ...headless,
        ports: [{ port: 1 }, { name: "A_", port: 2 }, { name: "z", port: 3 }, { name: "z", port: 4 }],
      },
      found: [
        "FieldValueDuplicate spec.ports[3].name",
        "FieldValueInvalid spec.ports[1].name",
        "FieldValueRequired spec.ports[0].name",
      ],
    },
    {
      why: "a port is invalid",
      spec: { ...headless, ports: [{ port: 0, targetPort: "not a port", protocol: "ICMP", appProtocol: "a b" }] },
      found: [
        "FieldValueInvalid spec.ports[0].appProtocol",
        "FieldValueInvalid spec.ports[0].port",
        "FieldValueInvalid spec.ports[0].targetPort",
        "FieldValueNotSupported spec.ports[0].protocol",
      ],
    },
    {
      why: "a port is duplicated",
      spec: {
        ...headless,
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 1 },
        ],
      },
      found: ["FieldValueDuplicate spec.ports[1]"],
    },
    {
      why: "it has a node port with the type ClusterIP",
      spec: { ports: [{ port: 1, nodePort: 30_000 }] },
      found: ["FieldValueForbidden spec.ports[0].nodePort"],
    },
    { why: "its type is unknown", spec: { ports, type: "Other" }, found: ["FieldValueNotSupported spec.type"] },
    {
      why: "it is headless with the type NodePort",
      spec: { ...headless, type: "NodePort" },
      found: ["FieldValueInvalid spec.clusterIPs[0]"],
    },
    {
      why: "a load balancer mixes protocols or exposes the port of node agents",
      spec: {
        type: "LoadBalancer",
        ports: [
          { name: "a", port: 10_250 },
          { name: "b", port: 1, protocol: "UDP" },
        ],
      },
      found: ["FieldValueInvalid spec.ports", "FieldValueInvalid spec.ports[0]"],
    },
    {
      why: "externalName is missing, or combined with addresses",
      spec: { type: "ExternalName", clusterIP: "10.0.0.3", ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" },
      found: [
        "FieldValueForbidden spec.clusterIPs",
        "FieldValueForbidden spec.ipFamilies",
        "FieldValueForbidden spec.ipFamilyPolicy",
        "FieldValueRequired spec.externalName",
      ],
    },
    {
      why: "affinity lasts too long",
      spec: {
        ...headless,
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } },
      },
      found: ["FieldValueInvalid spec.sessionAffinityConfig.clientIP.timeoutSeconds"],
    },
    {
      why: "external addresses are special or invalid",
      spec: { ...headless, externalIPs: ["127.0.0.1", "x", "8.8.8.8"] },
      found: ["FieldValueInvalid spec.externalIPs[0]", "FieldValueInvalid spec.externalIPs[1]"],
    },
    {
      why: "source ranges are invalid, or not allowed for its type",
      spec: { ...headless, loadBalancerSourceRanges: ["10.0.0.0"] },
      found: ["FieldValueForbidden spec.LoadBalancerSourceRanges", "FieldValueInvalid spec.LoadBalancerSourceRanges"],
    },
    {
      why: "two addresses are of the same family",
      spec: { ports, clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "10.0.0.2"] },
      found: ["FieldValueInvalid spec.clusterIPs"],
    },
    {
      why: "an address is not of its IP family",
      spec: { ports, clusterIP: "10.0.0.1", ipFamilies: ["IPv6"] },
      found: ["FieldValueInvalid spec.clusterIPs[0]"],
    },
    {
      why: "families are unknown or repeated",
      spec: { ...headless, ipFamilies: ["IPv4", "IPv4", "IPv5"], ipFamilyPolicy: "Maybe" },
      found: [
        "FieldValueDuplicate spec.ipFamilies[1]",
        "FieldValueNotSupported spec.ipFamilies[2]",
        "FieldValueNotSupported spec.ipFamilyPolicy",
      ],
    },
    {
      why: "an address is not of its family, among other errors",
      spec: { ports, clusterIP: "10.0.0.1", ipFamilies: ["IPv6"], ipFamilyPolicy: "Maybe" },
      found: ["FieldValueInvalid spec.clusterIPs[0]", "FieldValueNotSupported spec.ipFamilyPolicy"],
    },
    {
      why: "a family is unknown, which no address can be of",
      spec: { ports, clusterIP: "10.0.0.1", ipFamilies: ["IPv5"] },
      found: ["FieldValueNotSupported spec.ipFamilies[0]"],
    },
  ];
  for (const { why, spec, found } of cases) test(why, () => expect(problems({ spec })).toEqual(found));
});

test("omitted fields get defaults", () => {
  expect(make({ spec: { ...headless, sessionAffinity: "ClientIP" } })["spec"]).toEqual({
    clusterIP: "None",
    clusterIPs: ["None"],
    ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
    type: "ClusterIP",
  });
  expect(make({ spec: { type: "NodePort", ports } })["spec"]).toMatchObject({ externalTrafficPolicy: "Cluster" });
});

test("fields of features that are off are dropped", () => {
  const gated = { topologyKeys: ["*"], loadBalancerClass: "a/b", internalTrafficPolicy: "Local" };
  const spec = make({ spec: { ...headless, ...gated, allocateLoadBalancerNodePorts: false } })["spec"];
  for (const field of [...Object.keys(gated), "allocateLoadBalancerNodePorts"]) expect(spec).not.toHaveProperty(field);
});

test("topology keys are names, each once, at most 16, and the star comes last", () => {
  const withKeys = (topologyKeys: string[], more = {}) =>
    kind.strategy.validate!(
      {
        metadata: { name: "x" },
        spec: { ...(make({ spec: { ...headless, ...more } })["spec"] as object), topologyKeys },
      },
      environment,
    )
      .map(({ reason, field }) => `${reason} ${field}`)
      .sort();
  expect(withKeys(["a/b", "*"])).toEqual([]);
  expect(withKeys(["*", "a/b", "a/b", "no key"])).toEqual([
    "FieldValueDuplicate spec.topologyKeys[2]",
    "FieldValueInvalid spec.topologyKeys[0]",
    "FieldValueInvalid spec.topologyKeys[3]",
  ]);
  expect(withKeys(Array.from({ length: 17 }, (_, index) => `k${index}`))).toEqual([
    "FieldValueTooMany spec.topologyKeys",
  ]);
  expect(withKeys(["a"], { externalTrafficPolicy: "Local" })).toEqual(["FieldValueForbidden spec.topologyKeys"]);
});

describe("an update", () => {
  const given = {
    ports,
    clusterIP: "10.0.0.9",
    clusterIPs: ["10.0.0.9"],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
  };

  test("that omits the address keeps it, and may change families by omitting them", () => {
    const spec = update({ spec: { ports } }, { spec: { ...given, ipFamilyPolicy: "PreferDualStack" } })["spec"];
    expect(spec).toMatchObject({ clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"] });
    expect(spec).not.toHaveProperty("ipFamilyPolicy");
    expect(problemsOfUpdate({ spec: { ports } }, { spec: given })).toEqual([]);
  });

  test("to an unknown type reports only that", () => {
    expect(problemsOfUpdate({ spec: { ...given, type: "Other" } }, { spec: given })).toEqual([
      "FieldValueNotSupported spec.type",
    ]);
  });

  test("that takes the name from several ports finds the one node port twice", () => {
    const exposed = { ...given, type: "NodePort", ports: [{ port: 80, nodePort: 30_001 }] };
    const next = { ...exposed, ports: [{ port: 80 }, { port: 81 }] };
    expect(problemsOfUpdate({ spec: next }, { spec: exposed })).toEqual([
      "FieldValueDuplicate spec.ports[1].nodePort",
      "FieldValueRequired spec.ports[0].name",
      "FieldValueRequired spec.ports[1].name",
    ]);
  });

  test("may keep mixed protocols, but not introduce them", () => {
    const one = { ...given, type: "LoadBalancer" };
    const mixed = {
      ...one,
      ports: [
        { name: "t", port: 80 },
        { name: "u", port: 80, protocol: "UDP" },
      ],
    };
    expect(problemsOfUpdate({ spec: mixed }, { spec: { ...mixed, type: "NodePort" } })).toEqual([]);
    expect(problemsOfUpdate({ spec: mixed }, { spec: one })).toEqual(["FieldValueInvalid spec.ports"]);
  });

  test("cannot move a service to another address or family", () => {
    expect(
      problemsOfUpdate({ spec: { ...given, clusterIP: "10.0.0.8", clusterIPs: ["10.0.0.8"] } }, { spec: given }),
    ).toEqual(["FieldValueInvalid spec.clusterIPs[0]"]);
    const dual = {
      ...given,
      clusterIPs: ["10.0.0.9", "fd00::9"],
      ipFamilies: ["IPv4", "IPv6"],
      ipFamilyPolicy: "RequireDualStack",
    };
    expect(problemsOfUpdate({ spec: { ...dual, ipFamilies: ["IPv6", "IPv4"] } }, { spec: dual })).toContain(
      "FieldValueInvalid spec.ipFamilies[0]",
    );
    expect(problemsOfUpdate({ spec: { ...dual, clusterIPs: ["10.0.0.9"] } }, { spec: dual })).toEqual([
      "FieldValueInvalid spec.clusterIPs[0]",
    ]);
  });

  test("to one family releases the second address", () => {
    const dual = {
      ...given,
      clusterIPs: ["10.0.0.9", "fd00::9"],
      ipFamilies: ["IPv4", "IPv6"],
      ipFamilyPolicy: "PreferDualStack",
    };
    expect(update({ spec: { ...dual, ipFamilyPolicy: "SingleStack" } }, { spec: dual })["spec"]).toMatchObject(given);
  });

  test("to ExternalName drops addresses and node ports that the writer did not change", () => {
    const exposed = { ...given, type: "NodePort", ports: [{ port: 80, nodePort: 30_001 }] };
    const spec = update({ spec: { ...exposed, type: "ExternalName", externalName: "x.y" } }, { spec: exposed })["spec"];
    expect(spec).toMatchObject({ ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] });
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"])
      expect(spec).not.toHaveProperty(field);
  });
});

test("a load balancer reports addresses and names", () => {
  const ingress = [{ ip: "x" }, { hostname: "Bad_" }, { hostname: "1.2.3.4" }, { ip: "1.2.3.4" }];
  expect(problemsOfStatus({ spec: headless, status: { loadBalancer: { ingress } } }, { spec: headless })).toEqual([
    "FieldValueInvalid status.loadBalancer.ingress[0].ip",
    "FieldValueInvalid status.loadBalancer.ingress[1].hostname",
    "FieldValueInvalid status.loadBalancer.ingress[2].hostname",
  ]);
});

test("at level 1.35 only a service of type LoadBalancer has a load balancer, and nothing else of it is judged", () => {
  const at135 = inspect(Service, testEnvironment({}, "1.35"));
  const ingress = [{ ip: "x" }, { hostname: "Bad_" }];
  const found = (spec: object) => at135.problemsOfStatus({ spec, status: { loadBalancer: { ingress } } }, { spec });
  expect(found(headless)).toEqual(["FieldValueForbidden status.loadBalancer.ingress"]);
});

describe("a table shows", () => {
  const cases = [
    {
      why: "no address for ExternalName",
      spec: { type: "ExternalName", externalName: "x.y" },
      row: ["ExternalName", "<none>", "x.y", "<none>"],
    },
    {
      why: "a load balancer that is pending",
      spec: {
        type: "LoadBalancer",
        clusterIPs: ["10.0.0.9"],
        ports: [{ port: 80, nodePort: 30_001, protocol: "UDP" }],
      },
      row: ["LoadBalancer", "10.0.0.9", "<pending>", "80:30001/UDP"],
    },
    {
      why: "external addresses",
      spec: { clusterIPs: ["10.0.0.9"], ports, externalIPs: ["8.8.8.8", "9.9.9.9"] },
      row: ["ClusterIP", "10.0.0.9", "8.8.8.8,9.9.9.9", "80/TCP"],
    },
  ];
  for (const { why, spec, row } of cases) test(why, () => expect(cells({ spec }).slice(1, 5)).toEqual(row));
});

describe("at level 1.35", () => {
  const services = bindVersions([Service], {}, "1.35").version("v1");
  const dual = {
    ports,
    clusterIP: "10.0.0.9",
    clusterIPs: ["10.0.0.9", "fd00::9"],
    ipFamilies: ["IPv4", "IPv6"],
    ipFamilyPolicy: "RequireDualStack",
  };
  const changed = (spec: object) =>
    updateAt(services, { spec: { ...dual, ...spec } }, create(services, { spec: dual })).problems;

  test("families that do not fit the addresses are the only problem of a change", () => {
    expect(changed({ ipFamilies: ["IPv6", "IPv4"] })).toEqual([
      "Invalid spec.clusterIPs[0]",
      "Invalid spec.clusterIPs[1]",
    ]);
    expect(changed({ ipFamilies: ["IPv6"] })).toEqual(["Invalid spec.clusterIPs[0]"]);
    expect(changed({ clusterIPs: ["10.0.0.9", "fd00::8"] })).toEqual(["Invalid spec.clusterIPs[1]"]);
  });

  test("an unknown type is the only problem of a service", () => {
    expect(create(services, { spec: { ports, type: "Odd" } }).problems).toEqual(["NotSupported spec.type"]);
  });

  test("a load balancer may offer the port of node agents", () => {
    const agents = [{ port: 10_250 }];
    expect(create(services, { spec: { ports: agents, type: "LoadBalancer" } }).problems).toEqual([]);
  });

  test("both annotations for topology say the same", () => {
    const annotated = (hints: string, mode: string) => {
      const annotations = { "service.orch.io/topology-aware-hints": hints, "service.orch.io/topology-mode": mode };
      return create(services, { metadata: { annotations }, spec: { ports } }).problems;
    };
    expect(annotated("Auto", "Auto")).toEqual([]);
    expect(annotated("auto", "Auto")).toEqual(["Invalid metadata.annotations[service.orch.io/topology-mode]"]);
  });

  test("an update needs no resourceVersion, as it does at level 1.21", () => {
    const { strategy, compat } = services;
    expect([strategy.unconditionalUpdate ?? true, compat.checksVersion ?? false]).toEqual([true, false]);
    expect(kind.compat.checksVersion).toBe(true);
  });

  test("addresses may have zeros in front", () => {
    const spec = { ports, clusterIP: "010.000.000.040", clusterIPs: ["010.000.000.040"] };
    expect(create(services, { spec }).problems).toEqual([]);
    expect(problems({ spec })).toEqual(["FieldValueInvalid spec.clusterIPs[0]"]);
    expect(create(services, { spec: { ...spec, clusterIP: "", clusterIPs: ["10.0.0.256"] } }).problems).toEqual([
      "Invalid spec.clusterIPs",
      "Invalid spec.clusterIPs[0]",
    ]);
  });
});
