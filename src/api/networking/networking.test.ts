import { describe, expect, test } from "vitest";
import { tableRow } from "../../machinery/table/table.ts";
import { Ingress as Extensions } from "../extensions/v1beta1/ingress.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { Ingress } from "./v1/ingress.ts";
import { IngressClass } from "./v1/ingress-class.ts";
import { NetworkPolicy } from "./v1/network-policy.ts";
import { Ingress as Beta } from "./v1beta1/ingress.ts";

const ingresses = bindVersions([Ingress, Beta, Extensions]);
const v1 = ingresses.version("v1");
const beta = ingresses.version("v1beta1", "extensions");
const backend = { service: { name: "s", port: { number: 80 } } };
const rule = (path: object, host?: string) => ({ ...(host ? { host } : {}), http: { paths: [{ backend, ...path }] } });
const ingress = (spec: object, metadata: object = {}) => ({ metadata: { name: "x", ...metadata }, spec });

describe("an ingress", () => {
  const cases = [
    { why: "must have a backend or rules", spec: {}, problems: ["Invalid spec"] },
    {
      why: "must have a path type",
      spec: { rules: [rule({ path: "/" })] },
      problems: ["Required spec.rules[0].http.paths[0].pathType"],
    },
    {
      why: "must have a known path type",
      spec: { rules: [rule({ path: "/", pathType: "Regex" })] },
      problems: ["NotSupported spec.rules[0].http.paths[0].pathType"],
    },
    {
      why: "must have absolute paths",
      spec: { rules: [rule({ path: "a", pathType: "ImplementationSpecific" })] },
      problems: ["Invalid spec.rules[0].http.paths[0].path"],
    },
    {
      why: "may omit the path with the type ImplementationSpecific",
      spec: { rules: [rule({ pathType: "ImplementationSpecific" })] },
      problems: [],
    },
    {
      why: "must not have .. in a path",
      spec: { rules: [rule({ path: "/a/..", pathType: "Exact" })] },
      problems: ["Invalid spec.rules[0].http.paths[0].path"],
    },
    {
      why: "must have DNS names as hosts",
      spec: { defaultBackend: backend, rules: [{ host: "1.2.3.4" }] },
      problems: ["Invalid spec.rules[0].host"],
    },
    {
      why: "may have a wildcard only as the first label of a host",
      spec: { defaultBackend: backend, rules: [{ host: "*.*.a" }] },
      problems: ["Invalid spec.rules[0].host"],
    },
    {
      why: "must not have both a service and a resource as backend",
      spec: { defaultBackend: { ...backend, resource: { kind: "K", name: "n" } } },
      problems: ["Invalid spec.defaultBackend"],
    },
    {
      why: "is refused only for having two backends, whatever they are",
      spec: { defaultBackend: { service: {}, resource: {} } },
      problems: ["Invalid spec.defaultBackend"],
    },
    {
      why: "must have a port in a service backend",
      spec: { defaultBackend: { service: { name: "s" } } },
      problems: ["Required spec.defaultBackend"],
    },
    {
      why: "must have a valid secret name",
      spec: { defaultBackend: backend, tls: [{ secretName: "Bad_" }] },
      problems: ["Invalid spec.tls[0].secretName"],
    },
  ];
  for (const { why, spec, problems } of cases) {
    test(`${why}: ${JSON.stringify(spec).slice(0, 90)}`, () =>
      expect(create(v1, ingress(spec)).problems).toEqual(problems));
  }

  test("must not have a class both in the field and in the annotation on create", () => {
    const twice = ingress(
      { defaultBackend: backend, ingressClassName: "a" },
      { annotations: { "orch.io/ingress.class": "b" } },
    );
    const made = create(v1, twice);
    expect(made.problems).toEqual(["Invalid annotations.orch.io/ingress.class"]);
    expect(update(v1, twice, made).problems).toEqual([]);
  });

  test("reports fields by the names of the version, with weaker rules in v1beta1", () => {
    expect(create(beta, ingress({ backend: { serviceName: "s", servicePort: "80" } })).problems).toEqual([
      "Invalid spec.backend.servicePort",
    ]);
    expect(create(beta, ingress({ backend: { serviceName: "A", servicePort: 1 } })).problems).toEqual([
      "Invalid spec.backend.serviceName",
    ]);
    const tls = [{ secretName: "Bad_" }];
    const lax = create(beta, ingress({ backend: { serviceName: "s", servicePort: 1 }, tls }));
    expect(lax.problems).toEqual([]);
    // Values that were allowed once may stay.
    expect(update(v1, lax.hub, lax).problems).toEqual([]);
  });

  test("shows a named or numbered port in one field in v1beta1", () => {
    const { hub } = create(v1, ingress({ defaultBackend: backend, rules: [rule({ path: "/", pathType: "Exact" })] }));
    expect(beta.fromHub(hub)["spec"]).toEqual({
      backend: { serviceName: "s", servicePort: 80 },
      rules: [{ http: { paths: [{ path: "/", backend: { serviceName: "s", servicePort: 80 }, pathType: "Exact" }] } }],
    });
  });

  test("has the same row in every version", () => {
    const rules = ["a", "b", "c", "d", "e"].map((host) => ({ host: `${host}.example.com` }));
    const { hub } = create(v1, ingress({ rules, tls: [{ hosts: ["a.example.com"] }], ingressClassName: "cls" }));
    const object = { ...hub, status: { loadBalancer: { ingress: [{ ip: "2.2.2.2" }, { hostname: "1.lb" }] } } };
    const cells = ["cls", "a.example.com,b.example.com,c.example.com + 2 more...", "1.lb,2.2.2.2", "80, 443"];
    for (const kind of [v1, beta]) {
      expect(tableRow(kind, kind.fromHub(object), kind.family.environment).slice(1, 5)).toEqual(cells);
    }
  });
});

describe("a network policy", () => {
  const kind = bindVersions([NetworkPolicy]).version("v1");
  const gated = bindVersions([NetworkPolicy], { NetworkPolicyEndPort: true }).version("v1");
  const policy = (spec: object) => ({ metadata: { name: "x" }, spec: { podSelector: {}, ...spec } });

  test("has policy types that follow from its rules", () => {
    expect(create(kind, policy({})).object["spec"]).toEqual({ podSelector: {}, policyTypes: ["Ingress"] });
    expect(create(kind, policy({ egress: [{}] })).object["spec"]).toMatchObject({ policyTypes: ["Ingress", "Egress"] });
  });

  const from = (...peers: object[]) => ({ ingress: [{ from: peers }] });
  const block = (cidr: string, ...except: string[]) => from({ ipBlock: { cidr, except } });
  const cases = [
    { spec: from({}), problems: ["Required spec.ingress[0].from[0]"] },
    {
      spec: from({ ipBlock: { cidr: "10.0.0.0/8" }, podSelector: {} }),
      problems: ["Forbidden spec.ingress[0].from[0]"],
    },
    { spec: block(""), problems: ["Required spec.ingress[0].from[0].ipBlock.cidr"] },
    { spec: block("10.0.0.1"), problems: ["Invalid spec.ingress[0].from[0].ipBlock.cidr"] },
    { spec: block("10.0.0.0/8", "10.1.0.0/16"), problems: [] },
    {
      spec: block("10.0.0.0/8", "10.0.0.0/8", "11.0.0.0/16", "::/0"),
      problems: [0, 1, 2].map((i) => `Invalid spec.ingress[0].from[0].ipBlock.except[${i}]`),
    },
    { spec: block("2001:db8::/32", "2001:db8:1::/48"), problems: [] },
    { spec: block("0.0.0.0/0", "10.0.0.0/8", "255.255.255.255/32"), problems: [] },
    {
      spec: block("2001:db8:1::/48", "2001:db8::/32", "2001:db8:2::/64", "::ffff:10.0.0.0/104"),
      problems: [0, 1, 2].map((i) => `Invalid spec.ingress[0].from[0].ipBlock.except[${i}]`),
    },
    { spec: block("::ffff:10.0.0.0/104", "10.1.0.0/16"), problems: [] },
    {
      spec: { egress: [{ ports: [{ port: 0 }, { port: "1" }, { protocol: "ICMP" }] }] },
      problems: [
        "Invalid spec.egress[0].ports[0].port",
        "Invalid spec.egress[0].ports[1].port",
        "NotSupported spec.egress[0].ports[2].protocol",
      ],
    },
    { spec: { policyTypes: ["Ingress", "Sideways"] }, problems: ["NotSupported spec.policyTypes[1]"] },
  ];
  for (const { spec, problems } of cases) {
    test(`${JSON.stringify(spec).slice(0, 100)} -> ${problems.length}`, () =>
      expect(create(kind, policy(spec)).problems).toEqual(problems));
  }

  test("has the end of a port range only if the feature is on", () => {
    const ports = [{ port: 80, endPort: 70 }, { endPort: 1 }];
    expect(create(kind, policy({ ingress: [{ ports }] })).problems).toEqual([]);
    expect(create(gated, policy({ ingress: [{ ports }] })).problems).toEqual([
      "Invalid spec.ingress[0].ports[0].endPort",
      "Invalid spec.ingress[0].ports[1].endPort",
    ]);
  });
});

describe("an ingress class", () => {
  const kind = bindVersions([IngressClass]).version("v1");
  const gated = bindVersions([IngressClass], { IngressClassNamespacedParams: true }).version("v1");
  const classOf = (spec: object) => ({ metadata: { name: "x" }, spec });

  test("must not change its controller", () => {
    const before = create(kind, classOf({ controller: "example.com/a" }));
    expect(update(kind, classOf({ controller: "example.com/b" }), before).problems).toEqual([
      "Invalid spec.controller",
    ]);
  });

  const cases = [
    { spec: {}, problems: ["Required spec.controller"] },
    { spec: { controller: "nobody" }, problems: ["Invalid spec.controller"] },
    { spec: { controller: `example.com/${"a".repeat(250)}` }, problems: ["TooLong spec.controller"] },
    {
      spec: { controller: "a.b/c", parameters: {} },
      problems: ["Required spec.parameters.kind", "Required spec.parameters.name"],
    },
  ];
  for (const { spec, problems } of cases) {
    test(JSON.stringify(spec).slice(0, 60), () => expect(create(kind, classOf(spec)).problems).toEqual(problems));
  }

  test("has parameters in a namespace only if the feature is on", () => {
    const parameters = { kind: "K", name: "n", scope: "Namespace", namespace: "ns" };
    const spec = { controller: "a.b/c", parameters };
    expect(create(kind, classOf(spec)).object["spec"]).toMatchObject({
      parameters: { kind: "K", name: "n", scope: null },
    });
    expect(create(gated, classOf(spec)).object["spec"]).toEqual(spec);
    const cluster = { ...spec, parameters: { ...parameters, scope: "Cluster" } };
    expect(create(gated, classOf(cluster)).problems).toEqual(["Forbidden spec.parameters.namespace"]);
  });
});
