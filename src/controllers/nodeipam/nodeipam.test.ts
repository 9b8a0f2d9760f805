import { describe, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import { Node } from "../../api/core/v1/node.ts";
import { withControllers } from "../scenario.suite.ts";
import { defaultSettings } from "../settings.ts";
import { nodeRanges } from "./node-ranges.ts";
import { Ranges } from "./ranges.ts";
import { nodeIpam } from "./wire.ts";

describe("ranges of nodes", () => {
  test("are allocated once each, and released ones last", () => {
    const ranges = new Ranges({ cidr: "10.1.0.0/22", partBits: 24 });
    expect([ranges.take(), ranges.take()]).toEqual(["10.1.0.0/24", "10.1.1.0/24"]);
    ranges.giveBack("10.1.0.0/24");
    expect([ranges.take(), ranges.take(), ranges.take(), ranges.take()]).toEqual([
      "10.1.2.0/24",
      "10.1.3.0/24",
      "10.1.0.0/24",
      undefined,
    ]);
  });
  test("omit ranges that overlap others, larger or smaller", () => {
    const ranges = new Ranges({ cidr: "10.1.0.0/22", partBits: 24 });
    ranges.occupy("10.1.0.0/23");
    ranges.occupy("10.1.2.128/25");
    ranges.occupy("192.168.0.0/16");
    expect([ranges.take(), ranges.take()]).toEqual(["10.1.3.0/24", undefined]);
  });
  test("may be of IPv6", () => {
    const ranges = new Ranges({ cidr: "fd00:1::/60", partBits: 64 });
    expect([ranges.take(), ranges.take()]).toEqual(["fd00:1::/64", "fd00:1:0:1::/64"]);
  });
  test("must fit", () => {
    expect(() => new Ranges({ cidr: "10.1.0.0/24", partBits: 16 })).toThrow("does not fit");
    expect(() => new Ranges({ cidr: "10.1.0.0", partBits: 24 })).toThrow("must be a range");
    expect(() => new Ranges({ cidr: "fd00::/32", partBits: 64 })).toThrow("more than");
  });
});

test("every node gets its own range, and a node that has one keeps it", () =>
  withControllers(
    [nodeIpam],
    async ({ create, untilAll }) => {
      await create(Node, { metadata: { name: "a" }, spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"] } });
      await create(Node, { metadata: { name: "b" } });
      await create(Node, { metadata: { name: "c" } });
      const nodes = await untilAll(Node, "", (all) => all.length === 3 && all.every(({ spec }) => spec?.podCIDR));
      const cidrs = nodes.map(({ spec }) => spec?.podCIDR);
      expect([cidrs[0], new Set(cidrs).size]).toEqual(["10.1.0.0/24", 3]);
    },
    { settings: { allocateNodeCidrs: true, clusterCidr: ["10.1.0.0/16"] } },
  ));

describe("the ranges of a cluster", () => {
  const first = (flags: Partial<typeof defaultSettings>) =>
    nodeRanges({ ...defaultSettings, ...flags }).map((each) => each.take());
  const dual = ["10.1.0.0/16", "fd00:1::/56"];
  const right = [
    { why: "of IPv4", flags: { clusterCidr: ["10.1.0.0/16"] }, taken: ["10.1.0.0/24"] },
    { why: "of IPv6", flags: { clusterCidr: ["fd00:1::/56"] }, taken: ["fd00:1::/64"] },
    { why: "of another size", flags: { clusterCidr: ["10.1.0.0/16"], nodeCidrMaskSize: 26 }, taken: ["10.1.0.0/26"] },
    { why: "of both", flags: { clusterCidr: dual }, taken: ["10.1.0.0/24", "fd00:1::/64"] },
    {
      why: "of both, with sizes",
      flags: { clusterCidr: dual, nodeCidrMaskSizeIpv4: 25, nodeCidrMaskSizeIpv6: 60 },
      taken: ["10.1.0.0/25", "fd00:1::/60"],
    },
    {
      why: "without those of services",
      flags: { clusterCidr: ["10.1.0.0/16"], serviceClusterIpRange: ["10.1.0.0/23"] },
      taken: ["10.1.2.0/24"],
    },
  ];
  for (const { why, flags, taken } of right) test(why, () => expect(first(flags)).toEqual(taken));

  const wrong = [
    { why: "none", flags: {}, says: "must be given" },
    { why: "two of one kind", flags: { clusterCidr: ["10.1.0.0/16", "10.2.0.0/16"] }, says: "one of IPv4 and one of" },
    { why: "three", flags: { clusterCidr: [...dual, "10.2.0.0/16"] }, says: "one of IPv4 and one of" },
    { why: "one size for both", flags: { clusterCidr: dual, nodeCidrMaskSize: 24 }, says: "not allowed in a dual" },
    { why: "a size by kind for one", flags: { clusterCidr: ["10.1.0.0/16"], nodeCidrMaskSizeIpv4: 24 }, says: "only" },
  ];
  for (const { why, flags, says } of wrong) test(`are refused: ${why}`, () => expect(() => first(flags)).toThrow(says));
});

test("a node without a free range gets an event, and later the first range that is released", () =>
  withControllers(
    [nodeIpam],
    async ({ client, create, until, untilAll }) => {
      await create(Node, { metadata: { name: "a" } });
      await until(Node, { name: "a" }, ({ spec }) => spec?.podCIDR === "10.1.0.0/24");
      await create(Node, { metadata: { name: "b" } });
      const isTold = (events: readonly Event[]) => events.some(({ reason }) => reason === "CIDRNotAvailable");
      const [event] = await untilAll(Event, "", isTold);
      expect(event).toMatchObject({ type: "Normal", involvedObject: { kind: "Node", name: "b" } });
      await client.of(Node).delete({ name: "a" });
      await until(Node, { name: "b" }, ({ spec }) => spec?.podCIDRs?.[0] === "10.1.0.0/24");
    },
    { settings: { allocateNodeCidrs: true, clusterCidr: ["10.1.0.0/24"] } },
  ));
