import { describe, expect, test } from "vitest";
import { ipWarnings, parseOddIp, parseOddRange, rangeWarnings } from "../address-forms.ts";
import { PodTemplate } from "../core/v1/pod-template.ts";
import { Service } from "../core/v1/service.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { Ingress } from "./v1/ingress.ts";
import { IngressClass } from "./v1/ingress-class.ts";
import { IPAddress } from "./v1/ip-address.ts";
import { NetworkPolicy } from "./v1/network-policy.ts";
import { ServiceCIDR } from "./v1/service-cidr.ts";

const at = (kind: unknown) => bindVersions([kind], {}, "1.35").version("v1");

describe("odd forms of addresses", () => {
  test("are read as what they mean", () => {
    expect(parseOddIp("010.2.3.004")).toEqual(parseOddIp("10.2.3.4"));
    expect(parseOddIp("256.1.1.1")).toBeUndefined();
    expect(parseOddRange("::ffff:1.2.3.0/120")?.prefix).toBe(24);
    expect(["10.0.0.0", "x/8", "10.0.0.0/33", "10.0.0.0/-1"].map(parseOddRange)).toEqual(Array(4).fill(undefined));
  });

  test("are warned about, usual ones are not", () => {
    const counts = ["10.2.3.4", "fd00::1", "x", "010.2.3.4", "FD00::1", "::ffff:1.2.3.4"].map(
      (ip) => ipWarnings(ip, "p").length,
    );
    expect(counts).toEqual([0, 0, 0, 1, 1, 1]);
    const ranges = ["10.0.0.0/8", " 10.0.0.0/8 ", "fd00::/64", "10.0.0.5/8", "010.0.0.0/8", "FD00::/64"];
    expect(ranges.map((range) => rangeWarnings(range, "p").length)).toEqual([0, 0, 0, 1, 1, 1]);
  });
});

test("an IPAddress is named after its address, and keeps the object that holds it", () => {
  const addresses = at(IPAddress);
  const held = (name: string, resource: string) => ({
    metadata: { name: "10.0.0.1" },
    spec: { parentRef: { resource, name } },
  });
  expect(create(addresses, { metadata: { name: "10.0.0.01" }, spec: held("a", "services").spec }).problems).toEqual([
    "Invalid metadata.name",
  ]);
  expect(create(addresses, { metadata: { name: "10.0.0.1" } }).problems).toEqual(["Required spec.parentRef"]);
  expect(create(addresses, held("", "a/b")).problems).toEqual([
    "Invalid spec.parentRef.resource",
    "Required spec.parentRef.name",
  ]);
  const named = { metadata: { name: "10.0.0.1" }, spec: { parentRef: { resource: "r", name: "a", namespace: "a/b" } } };
  expect(create(addresses, named).problems).toEqual(["Invalid spec.parentRef.namespace"]);
  const made = create(addresses, held("a", "services"));
  expect(made.problems).toEqual([]);
  expect(update(addresses, held("b", "services"), made).problems).toEqual(["Invalid spec.parentRef"]);
});

describe("a ServiceCIDR", () => {
  const ranges = at(ServiceCIDR);
  const of = (...cidrs: string[]) => ({ spec: { cidrs } });
  const cases = [
    { why: "has a range", given: of(), expected: ["Required spec.cidrs"] },
    { why: "has at most two", given: of("10.0.0.0/8", "fd00::/64", "11.0.0.0/8"), expected: ["Invalid spec.cidrs"] },
    { why: "has one of each family", given: of("10.0.0.0/8", "11.0.0.0/8"), expected: ["Invalid spec.cidrs"] },
    {
      why: "has ranges in canonical form",
      given: of("10.0.0.1/8", "FD00::/64"),
      expected: ["Invalid spec.cidrs[0]", "Invalid spec.cidrs[1]"],
    },
    {
      why: "is refused for two ranges of one family, beside other problems",
      given: of("10.0.0.1/8", "11.0.0.0/8"),
      expected: ["Invalid spec.cidrs", "Invalid spec.cidrs[0]"],
    },
    {
      why: "is refused only for a range that does not parse",
      given: of("x", "11.0.0.0/8"),
      expected: ["Invalid spec.cidrs[0]"],
    },
    { why: "may have both families", given: of("10.0.0.0/8", "fd00::/64"), expected: [] },
  ];
  for (const { why, given, expected } of cases)
    test(why, () => expect(create(ranges, given).problems).toEqual(expected));

  test("may get a second family, and nothing else changes", () => {
    const one = create(ranges, of("10.0.0.0/8"));
    const two = create(ranges, of("10.0.0.0/8", "fd00::/64"));
    expect(update(ranges, of("10.0.0.0/8", "fd00::/64"), one).problems).toEqual([]);
    // A removed or third range is a change of the list; the others are then not looked at.
    expect(update(ranges, of(), one).problems).toEqual(["Invalid spec.cidrs"]);
    expect(update(ranges, of("10.0.0.0/8", "fd00::/64", "x"), two).problems).toEqual(["Invalid spec.cidrs"]);
    expect(update(ranges, of("10.0.0.0/8", "11.0.0.0/8"), one).problems).toEqual(["Invalid spec.cidrs"]);
    expect(update(ranges, of("11.0.0.0/8"), one).problems).toEqual(["Invalid spec.cidrs[0]"]);
    expect(update(ranges, of("10.0.0.0/8"), two).problems).toEqual(["Invalid spec.cidrs"]);
  });
});

test("an ingress with the class annotation gets a warning that names the field", () => {
  const spec = { defaultBackend: { service: { name: "s", port: { number: 1 } } } };
  const annotations = { "orch.io/ingress.class": "c" };
  expect(create(at(Ingress), { metadata: { name: "x", annotations }, spec }).warnings).toHaveLength(1);
  const both = create(at(Ingress), { metadata: { name: "x", annotations }, spec: { ...spec, ingressClassName: "c" } });
  expect([both.problems, both.warnings]).toEqual([[], []]);
});

test("parameters of an ingress class have a scope that is not empty", () => {
  const spec = { controller: "a.b/c", parameters: { kind: "K", name: "n", scope: "" } };
  expect(create(at(IngressClass), { spec }).problems).toEqual(["NotSupported spec.parameters.scope"]);
});

test("a service that is only a name has no policy for traffic, and odd addresses are warned about", () => {
  const services = at(Service);
  const named = create(services, {
    spec: { type: "ExternalName", externalName: "a.b", internalTrafficPolicy: "Local" },
  });
  expect(named.object["spec"]).not.toHaveProperty("internalTrafficPolicy");
  const headless = { clusterIP: "None", ports: [{ port: 80 }], externalIPs: ["010.2.3.4"] };
  expect(create(services, { spec: headless }).warnings).toHaveLength(2);
});

test("a template is warned about like a pod", () => {
  const ports = [{ containerPort: 1 }, { containerPort: 1 }];
  const env = [
    { name: "A", value: "1" },
    { name: "A", value: "2" },
    { name: "A", value: "$(A)3" },
  ];
  const resources = { limits: { memory: "500m" } };
  const spec = {
    nodeSelector: { "beta.orch.io/os": "linux" },
    volumes: [{ name: "v", rbd: { monitors: ["m"], image: "i" } }],
    imagePullSecrets: [{ name: "" }],
    containers: [{ name: "c", image: "i", ports, env, resources }],
  };
  expect(create(at(PodTemplate), { template: { spec } }).warnings).toHaveLength(6);
  const early = bindVersions([PodTemplate]).version("v1");
  expect(create(early, { template: { spec } }).warnings).toEqual([]);
});

test("exceptions of a network policy are read like its ranges, and all of them are checked", () => {
  const policies = at(NetworkPolicy);
  const blocking = (cidr: string, ...except: string[]) =>
    create(policies, { spec: { ingress: [{ from: [{ ipBlock: { cidr, except } }] }] } }).problems;
  const path = "spec.ingress[0].from[0].ipBlock.except";
  expect(blocking("10.0.0.0/8", "010.1.0.0/16", "10.2.3.4/16")).toEqual([]);
  expect(blocking("010.0.0.0/8", "x", "11.0.0.0/16")).toEqual([`Invalid ${path}[0]`, `Invalid ${path}[1]`]);
});
