import { expect, test } from "vitest";
import type { EndpointSubset } from "../../../api/core/v1/endpoints.ts";
import { finish, type Steps } from "../../../base/time-slice.ts";
import { combinedPortsMax, repackSubsets } from "./subsets.ts";

const [web, dns] = [
  { name: "web", port: 80, protocol: "TCP" },
  { name: "dns", port: 53, protocol: "UDP" },
];
interface Row {
  readonly why: string;
  readonly given: EndpointSubset[];
  readonly packed: EndpointSubset[];
}
const rows: Row[] = [
  {
    why: "ports of one address are in one subset, sorted",
    given: [
      { addresses: [{ ip: "10.0.0.1" }], ports: [web] },
      { addresses: [{ ip: "10.0.0.1" }], ports: [dns] },
    ],
    packed: [{ addresses: [{ ip: "10.0.0.1" }], ports: [dns, web] }],
  },
  {
    why: "addresses with the same ports are in one subset, sorted",
    given: [
      { addresses: [{ ip: "10.0.0.2" }], ports: [web] },
      { addresses: [{ ip: "10.0.0.1" }], ports: [web] },
      { notReadyAddresses: [{ ip: "10.0.0.3" }], ports: [web] },
    ],
    packed: [
      {
        addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }],
        notReadyAddresses: [{ ip: "10.0.0.3" }],
        ports: [web],
      },
    ],
  },
  {
    why: "an address that is both ready and not ready is not ready",
    given: [{ addresses: [{ ip: "10.0.0.1" }], notReadyAddresses: [{ ip: "10.0.0.1" }], ports: [web] }],
    packed: [{ notReadyAddresses: [{ ip: "10.0.0.1" }], ports: [web] }],
  },
  {
    why: "addresses without ports stay",
    given: [{ addresses: [{ ip: "10.0.0.1" }] }],
    packed: [{ addresses: [{ ip: "10.0.0.1" }] }],
  },
  {
    why: "different ports make different subsets",
    given: [
      { addresses: [{ ip: "10.0.0.2" }], ports: [web] },
      { addresses: [{ ip: "10.0.0.1" }], ports: [dns] },
    ],
    packed: [
      { addresses: [{ ip: "10.0.0.1" }], ports: [dns] },
      { addresses: [{ ip: "10.0.0.2" }], ports: [web] },
    ],
  },
];
for (const { why, given, packed } of rows) test(why, () => expect(finish(repackSubsets(given))).toEqual(packed));

const addresses = (count: number) => Array.from({ length: count }, (_, at) => ({ ip: `192.0.${at >> 8}.${at & 255}` }));
const ports = (count: number, first: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `p${at + first}`, port: at + first, protocol: "TCP" }));

test("addresses in the same subsets have their ports combined once, in steps", () => {
  const given = [ports(5_000, 1), ports(5_000, 10_001)].map((list) => ({ addresses: addresses(5_000), ports: list }));
  const [steps, packed] = counted(repackSubsets(given));
  expect(packed.map((subset) => [subset.addresses?.length, subset.ports?.length])).toEqual([[5_000, 10_000]]);
  // Each address with each port would be fifty million.
  expect([steps > 20, steps < 1_000]).toEqual([true, true]);
});

test("addresses in very many combinations of subsets are refused, and no more is combined than could be stored", () => {
  const lists = Array.from({ length: 100 }, (_, at) => ports(100, 1 + at * 100));
  const pairs = lists.flatMap((_, one) => lists.slice(one + 1).map((__, other) => [one, one + 1 + other]));
  const given = lists.map((list, at) => ({
    addresses: addresses(pairs.length).filter((_, pair) => pairs[pair]?.includes(at)),
    ports: list,
  }));
  expect(pairs.length * 200).toBeGreaterThan(combinedPortsMax);
  expect(() => finish(repackSubsets(given))).toThrow(`more than ${combinedPortsMax} ports`);
});

function counted<T>(steps: Steps<T>): [count: number, result: T] {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return [count, value];
  }
}
