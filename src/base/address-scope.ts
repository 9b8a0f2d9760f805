/** The scope of an address: global, or one that leads back to this machine or to its neighbours on the link. */

import { parseIp } from "./ip-address.ts";

type AddressScope = "loopback" | "link-local" | "unspecified" | "multicast" | "global";

/** Undefined: not an IP address. IPv4 addresses inside IPv6 ones (mapped, compatible, NAT64, 6to4) count as IPv4. */
export function addressScope(text: string): AddressScope | undefined {
  const zone = text.indexOf("%");
  const ip = parseIp(zone < 0 ? text : text.slice(0, zone));
  if (ip === undefined) return undefined;
  return ip.version === 4 ? ipv4Scope(ip.value) : ipv6Scope(ip.value);
}

function ipv4Scope(value: bigint): AddressScope {
  const first = value >> 24n;
  if (first === 0n) return "unspecified"; // 0.0.0.0/8 is this machine
  if (first === 127n) return "loopback";
  if (value >> 16n === 0xa9fen) return "link-local"; // 169.254.0.0/16
  return first >= 224n ? "multicast" : "global"; // includes the reserved ranges and broadcast
}

function ipv6Scope(value: bigint): AddressScope {
  if (value === 0n) return "unspecified";
  if (value === 1n) return "loopback";
  if (value >> 118n === 0x3fan) return "link-local"; // fe80::/10
  if (value >> 120n === 0xffn) return "multicast"; // ff00::/8
  const within = embedded(value);
  return within === undefined ? "global" : ipv4Scope(within);
}

/** The IPv4 address that a gateway or a tunnel would turn it into. */
function embedded(value: bigint): bigint | undefined {
  const low = value & 0xffff_ffffn;
  if (value >> 32n === 0n) return low; // ::a.b.c.d
  if (value >> 32n === 0x0064_ff9bn << 64n) return low; // 64:ff9b::/96
  return value >> 112n === 0x2002n ? (value >> 80n) & 0xffff_ffffn : undefined; // 2002::/16
}
