/** IP addresses as numbers: read from text, counted through, and written in the one canonical form. */

import { isIPv4, isIPv6 } from "node:net";

export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** Undefined: not an address. An IPv4 address written as IPv6 (::ffff:10.0.0.1) is IPv4, as v1.21 sees it. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { version: 4, value: ipv4Value(text) };
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const value = ipv6Value(text);
  return value >> 32n === 0xffffn ? { version: 4, value: value & 0xffff_ffffn } : { version: 6, value };
}

/** "10.0.0.1"; IPv6 as RFC 5952 writes it, "2001:db8::1". */
export function formatIp({ version, value }: IpAddress): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn));
  const { start, length } = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(":");
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

function ipv4Value(text: string): bigint {
  return text.split(".").reduce((value, byte) => value * 256n + BigInt(byte), 0n);
}

function ipv6Value(text: string): bigint {
  // The last 32 bits may be written as an IPv4 address.
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  const tail = dotted === undefined ? undefined : ipv4Value(dotted);
  const plain =
    dotted === undefined || tail === undefined
      ? text
      : `${text.slice(0, -dotted.length)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const [head = "", rest] = plain.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = rest === undefined || rest === "" ? [] : rest.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
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
