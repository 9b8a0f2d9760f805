import { expect, test } from "vitest";
import type { EndpointSubset } from "../../../api/core/v1/endpoints.ts";
import { repackSubsets } from "./subsets.ts";

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
for (const { why, given, packed } of rows) test(why, () => expect(repackSubsets(given)).toEqual(packed));
