import { describe, expect, test } from "vitest";
import { Node } from "../../api/core/v1/node.ts";
import { withControllers } from "../scenario.suite.ts";
import { Ranges } from "./ranges.ts";
import { nodeIpam } from "./wire.ts";

describe("ranges of nodes", () => {
  test("are given out once each, and those that come back last", () => {
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
  test("leave out what others have, larger or smaller", () => {
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

test("every node gets a range of its own, and one that has one keeps it", () =>
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
