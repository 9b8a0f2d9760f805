/** Addresses and ranges in forms that are read one way here and another way elsewhere: taken as they are, with a warning. */

import { formatIp, type IpAddress, isIpv4, isIpv6, parseIp } from "../base/ip-address.ts";
import { cidrVersion } from "../machinery/meta/names.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { has } from "./features.ts";

/** Whether zeros in front of decimals are taken, until they are checked strictly. */
export const takesOddForms = (environment: Pick<Environment, "level" | "gates">): boolean =>
  has(environment, "oddAddresses") && !environment.gates.enabled("StrictIPCIDRValidation");

export const warnsOfOddForms = (environment: Pick<Environment, "level">): boolean =>
  has(environment, "oddAddressWarnings");

const decimals = /^\d{1,9}(\.\d{1,9}){3}$/;

/** Like parseIp, but the parts of an IPv4 address may begin with zeros. */
export function parseOddIp(text: string): IpAddress | undefined {
  return parseIp(!isIpv4(text) && decimals.test(text) ? plainDecimals(text) : text);
}

const plainDecimals = (text: string): string =>
  text
    .split(".")
    .map((part) => String(Number(part)))
    .join(".");

/** As the reference says it, before the form to use. */
const outdated = "will be considered invalid in a future Kubernetes release: use";

/** What releases before those say that warn of odd forms of all kinds. */
export function earlyIpWarnings(text: string, path: string): string[] {
  const address = isIpv4(text) ? undefined : parseOddIp(text);
  if (address === undefined) return [];
  const usual = formatIp(address);
  if (address.version === 4 && !text.includes(":"))
    return [
      `${path}: IP address was accepted, but will be invalid in a future Kubernetes release: ParseAddr("${text}"): IPv4 field has octet with leading zero`,
    ];
  return text === usual || address.version === 4
    ? []
    : [
        `${path}: IPv6 address "${text}" is not in RFC 5952 canonical format ("${usual}"), which may cause controller apply-loops`,
      ];
}

/** The same of ranges. */
export function earlyRangeWarnings(text: string, path: string): string[] {
  const range = parseOddRange(text);
  if (range === undefined) return [];
  const ip = text.slice(0, text.indexOf("/"));
  const { address, prefix } = range;
  if (address.version === 4 && !ip.includes(":")) {
    return isIpv4(ip)
      ? []
      : [
          `${path}: IP prefix was accepted, but will be invalid in a future Kubernetes release: netip.ParsePrefix("${text}"): ParseAddr("${ip}"): IPv4 field has octet with leading zero`,
        ];
  }
  const usual = `${formatIp(address)}/${prefix}`;
  return text === usual || address.version === 4
    ? []
    : [
        `${path}: IPv6 prefix "${text}" is not in RFC 5952 canonical format ("${usual}"), which may cause controller apply-loops`,
      ];
}

/** What is odd about an address; nothing about a text that is not one. */
export function ipWarnings(text: string, path: string): string[] {
  if (isIpv4(text)) return []; // without leading zeros there is one way to write it
  const address = parseOddIp(text);
  if (address === undefined) return [];
  const usual = formatIp(address);
  if (text === usual) return [];
  return isNonStandard(text, address)
    ? [`${path}: non-standard IP address "${text}" ${outdated} "${usual}"`]
    : [`${path}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${usual}")`];
}

const isNonStandard = (text: string, { version }: IpAddress): boolean => version === 4 || !isIpv6(text);

interface Range {
  readonly address: IpAddress;
  readonly prefix: number;
}

/** A range of addresses, in odd forms too. Undefined: not a range. */
export function parseOddRange(text: string): Range | undefined {
  const slash = text.indexOf("/");
  const [ip, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const address = slash < 0 || !/^\d{1,3}$/.test(length) ? undefined : parseOddIp(ip);
  if (address === undefined) return undefined;
  const isMapped = address.version === 4 && ip.includes(":");
  const prefix = Number(length) - (isMapped ? 96 : 0);
  return prefix < 0 || prefix > bitsOf(address) ? undefined : { address, prefix };
}

/** A range as the level takes it: in any form, or only with an address that is the first of the range. */
export function readRange(text: string, environment: Pick<Environment, "level" | "gates">): Range | undefined {
  const range = parseOddRange(text);
  if (range === undefined || takesOddForms(environment)) return range;
  if (cidrVersion(text) === 0) return undefined;
  if (!environment.gates.enabled("StrictIPCIDRValidation")) return range;
  const free = BigInt(bitsOf(range.address) - range.prefix);
  const isMapped = range.address.version === 4 && text.includes(":");
  return !isMapped && (range.address.value >> free) << free === range.address.value ? range : undefined;
}

/** Whether a range is a smaller part of another. */
export function isSubrange(inner: Range, outer: Range): boolean {
  if (inner.address.version !== outer.address.version || inner.prefix <= outer.prefix) return false;
  const free = BigInt(bitsOf(outer.address) - outer.prefix);
  return inner.address.value >> free === outer.address.value >> free;
}

const bitsOf = ({ version }: IpAddress): number => (version === 4 ? 32 : 128);

/** What is odd about a range; nothing about a text that is not one. */
export function rangeWarnings(text: string, path: string): string[] {
  const range = parseOddRange(text.trim());
  if (range === undefined) return [];
  const { address, prefix } = range;
  const ip = text.trim().slice(0, text.trim().indexOf("/"));
  const free = BigInt(bitsOf(address) - prefix);
  const first = { version: address.version, value: (address.value >> free) << free };
  const whole = `${formatIp(first)}/${prefix}`;
  if (address.value !== first.value) {
    const single = `${formatIp(address)}/${bitsOf(address)}`;
    return [`${path}: CIDR value "${text}" is ambiguous in this context (should be "${whole}" or "${single}"?)`];
  }
  if (text.trim() === whole) return [];
  return isNonStandard(ip, address)
    ? [`${path}: non-standard CIDR value "${text}" ${outdated} "${whole}"`]
    : [`${path}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${whole}")`];
}
