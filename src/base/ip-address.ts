/** IP addresses as numbers: read from text, counted through, and written in the one canonical form. */

export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

const ipv4Form =
  /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])$/;

/** Four bytes without leading zeros. Node has this check too, but loading its module adds milliseconds to the start of every client. */
export function isIpv4(text: string): boolean {
  return text.length <= ipv4CharsMax && ipv4Form.test(text);
}

/** Undefined: not an address. An IPv4 address written as IPv6 (::ffff:10.0.0.1) is IPv4, as in v1.21. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIpv4(text)) return { version: 4, value: ipv4Value(text) };
  const value = ipv6Value(text);
  if (value === undefined) return undefined;
  return value >> 32n === 0xffffn ? { version: 4, value: value & 0xffff_ffffn } : { version: 6, value };
}

/** Whether it is written as IPv6, even if it means an IPv4 address; never with a zone. */
export function isIpv6(text: string): boolean {
  return ipv6Value(text) !== undefined;
}

/** "10.0.0.1"; IPv6 as RFC 5952 writes it, "2001:db8::1". */
export function formatIp({ version, value }: IpAddress): string {
  if (version === 4) {
    const bits = Number(value);
    return `${bits >>> 24}.${(bits >>> 16) & 0xff}.${(bits >>> 8) & 0xff}.${bits & 0xff}`;
  }
  const groups = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn));
  const { start, length } = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(":");
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

/** Added up as a number: an object may have tens of thousands of addresses, and arithmetic on big integers takes ten times as long. */
function ipv4Value(text: string): bigint {
  let value = 0;
  let byte = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48; // "0"
    if (digit >= 0) byte = byte * 10 + digit;
    else {
      value = value * 256 + byte;
      byte = 0;
    }
  }
  return BigInt(value * 256 + byte);
}

/** Three digits for each byte. */
const ipv4CharsMax = 15;
/** The longest text of an IPv6 address: eight groups, the last two of them as an IPv4 address. */
const ipv6CharsMax = 45;
const group = /^[0-9a-fA-F]{1,4}$/;

/** Undefined: not an address. Node has a check too, but its first call adds milliseconds to every start. */
function ipv6Value(text: string): bigint | undefined {
  if (text.length > ipv6CharsMax) return undefined;
  const [head = "", rest, ...others] = text.split("::");
  if (others.length > 0) return undefined;
  const before = groupsOf(head, rest === undefined);
  const after = rest === undefined ? [] : groupsOf(rest, true);
  if (before === undefined || after === undefined) return undefined;
  const count = before.length + after.length;
  if (rest === undefined ? count !== 8 : count > 7) return undefined;
  const zeros = Array.from({ length: 8 - count }, () => 0);
  return [...before, ...zeros, ...after].reduce((value, each) => value * 65_536n + BigInt(each), 0n);
}

/** The groups of one side of "::"; at the end of the address the last two may be written as an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [at, part] of parts.entries()) {
    if (group.test(part)) groups.push(Number.parseInt(part, 16));
    else if (isEnd && at === parts.length - 1 && isIpv4(part)) {
      const value = Number(ipv4Value(part));
      groups.push(Math.floor(value / 65_536), value % 65_536);
    } else return undefined;
  }
  return groups;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  groups.forEach((group, index) => {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  });
  return best;
}
