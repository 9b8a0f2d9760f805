/** --service-cluster-ip-range and --service-node-port-range: parses them, and lists what can be allocated from them. */

import { parseOddIp } from "../../api/address-forms.ts";
import { formatIp, parseIp } from "../../base/ip-address.ts";

/** A numbered range of items, each with one name. */
export interface NumberedRange {
  /** As in the flag. */
  readonly text: string;
  readonly size: number;
  /** The name at `index`, from 0 up to, not including, `size`. */
  at(index: number): string;
  /** The canonical form of `name`; undefined: it is not in the range. */
  canonical(name: string): string | undefined;
}

export interface AddressRange extends NumberedRange {
  readonly family: "IPv4" | "IPv6";
}

/** A larger range would have too many addresses to search. */
const addressBitsMax = 20;
/** How many addresses of an IPv6 range are used. */
const ipv6AddressesMax = 65_536;
const rangesMax = 2;

/** One range, or one of each IP family. Throws an Error that says what to change. */
export function parseAddressRanges(text: string): readonly AddressRange[] {
  const ranges = text.split(",").map((one) => parseAddressRange(one.trim()));
  if (ranges.length > rangesMax)
    throw new Error(`there must not be more than ${rangesMax} ranges of service addresses`);
  if (new Set(ranges.map(({ family }) => family)).size < ranges.length) {
    throw new Error("two ranges of service addresses must be of different IP families");
  }
  return ranges;
}

/** The range of a ServiceCIDR, however large: the first addresses of a large one are used. Undefined: it has none for services. */
export function readAddressRange(text: string): AddressRange | undefined {
  try {
    return parseAddressRange(text, Number.POSITIVE_INFINITY);
  } catch {
    return undefined;
  }
}

function parseAddressRange(text: string, bitsMax = addressBitsMax): AddressRange {
  const [network = "", bits = ""] = text.split("/");
  const address = parseIp(network);
  const width = address?.version === 6 ? 128 : 32;
  if (address === undefined || !/^\d{1,3}$/.test(bits) || Number(bits) > width || text.split("/").length !== 2) {
    throw new Error(`"${text}" is not a range of addresses such as 10.0.0.0/24`);
  }
  const free = width - Number(bits);
  if (free > bitsMax) {
    throw new Error(`the range ${text} of service addresses is too large; use /${width - addressBitsMax} or smaller`);
  }
  const { version } = address;
  const base = (address.value >> BigInt(free)) << BigInt(free);
  // The first address is that of the network, and the last one of IPv4 is the broadcast address.
  const all = 2 ** free;
  const used = version === 4 ? all - 2 : Math.min(all, ipv6AddressesMax) - 1;
  const size = Math.max(0, Math.min(used, 2 ** addressBitsMax));
  if (size === 0) throw new Error(`the range ${text} has no addresses for services`);
  const first = base + 1n;
  return {
    text: `${formatIp({ version, value: base })}/${bits}`,
    family: version === 4 ? "IPv4" : "IPv6",
    size,
    at: (index) => formatIp({ version, value: first + BigInt(index) }),
    canonical(name) {
      const found = parseOddIp(name);
      if (found?.version !== version) return undefined;
      const last =
        bitsMax === addressBitsMax ? first + BigInt(size) : base + (1n << BigInt(free)) - (version === 4 ? 1n : 0n);
      return found.value >= first && found.value < last ? formatIp(found) : undefined;
    },
  };
}

const portMax = 65_535;

/** "30000-32767" or "30000+2768" (a start and a count). Throws an Error that says what to change. */
export function parsePortRange(text: string): NumberedRange {
  const [, from = "", sign = "", to = ""] = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const first = Number(from);
  const last = sign === "+" ? Math.min(portMax, first + Number(to) - 1) : sign === "-" ? Number(to) : first;
  if (from === "" || first < 1 || first > portMax || last > portMax || last < first) {
    throw new Error(`"${text}" is not a range of ports such as 30000-32767`);
  }
  return {
    text: `${first}-${last}`,
    size: last - first + 1,
    at: (index) => String(first + index),
    canonical: (name) => (/^\d{1,5}$/.test(name) && Number(name) >= first && Number(name) <= last ? name : undefined),
  };
}
