/** Which addresses are special: nothing outside a host should be reached through them. */

import { BlockList, isIP } from "node:net";
import type { FieldError } from "../machinery/status/field-error.ts";
import { invalid } from "../machinery/status/field-error.ts";

const special: readonly { readonly what: string; readonly ranges: readonly [string, number, "ipv4" | "ipv6"][] }[] = [
  {
    what: "must not be unspecified (0.0.0.0 or ::)",
    ranges: [
      ["0.0.0.0", 32, "ipv4"],
      ["::", 128, "ipv6"],
    ],
  },
  {
    what: "must not be in the loopback range (127.0.0.0/8, ::1/128)",
    ranges: [
      ["127.0.0.0", 8, "ipv4"],
      ["::1", 128, "ipv6"],
    ],
  },
  {
    what: "must not be in the link-local range (169.254.0.0/16, fe80::/10)",
    ranges: [
      ["169.254.0.0", 16, "ipv4"],
      ["fe80::", 10, "ipv6"],
    ],
  },
  {
    what: "must not be in the link-local multicast range (224.0.0.0/24, ff02::/16)",
    ranges: [
      ["224.0.0.0", 24, "ipv4"],
      ["ff02::", 16, "ipv6"],
    ],
  },
];

const lists = special.map(({ what, ranges }) => {
  const list = new BlockList();
  for (const [network, prefix, family] of ranges) list.addSubnet(network, prefix, family);
  return { what, list };
});

/** An address that endpoints may name: valid, and none of the special ones. IPv4 written as IPv6 counts as IPv4. */
export function validateEndpointIp(path: string, ip: string): FieldError[] {
  const version = isIP(ip);
  if (version === 0) return [invalid(path, ip, "must be a valid IP address")];
  const family = version === 4 ? "ipv4" : "ipv6";
  return lists.filter(({ list }) => list.check(ip, family)).map(({ what }) => invalid(path, ip, what));
}
