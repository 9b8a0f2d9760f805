/** Special addresses, which must not be used to reach other hosts. */

import { parseIp } from "../base/ip-address.ts";
import { duplicate, type FieldError, type FieldErrors, invalid } from "../machinery/status/field-error.ts";
import { repeats } from "./validation.ts";

const special: readonly { readonly what: string; readonly ranges: readonly [string, number][] }[] = [
  {
    what: "must not be unspecified (0.0.0.0 or ::)",
    ranges: [
      ["0.0.0.0", 32],
      ["::", 128],
    ],
  },
  {
    what: "must not be in the loopback range (127.0.0.0/8, ::1/128)",
    ranges: [
      ["127.0.0.0", 8],
      ["::1", 128],
    ],
  },
  {
    what: "must not be in the link-local range (169.254.0.0/16, fe80::/10)",
    ranges: [
      ["169.254.0.0", 16],
      ["fe80::", 10],
    ],
  },
  {
    what: "must not be in the link-local multicast range (224.0.0.0/24, ff02::/16)",
    // The digit before the scope holds flags, which may have any value.
    ranges: [["224.0.0.0", 24], ...[..."0123456789abcdef"].map((flags): [string, number] => [`ff${flags}2::`, 16])],
  },
];

const ranges = special.flatMap(({ what, ranges }) =>
  ranges.map(([network, prefix]) => {
    const { version, value } = parseIp(network)!; // of the table above
    const hostBits = BigInt((version === 4 ? 32 : 128) - prefix);
    return { what, version, hostBits, network: value >> hostBits };
  }),
);

/** An address that endpoints may name: valid, and none of the special ones. IPv4 written as IPv6 counts as IPv4. */
export function validateEndpointIp(path: string, ip: string): FieldError[] {
  const address = parseIp(ip);
  if (address === undefined) return [invalid(path, ip, "must be a valid IP address")];
  const { version, value } = address;
  const errors: FieldError[] = [];
  for (const range of ranges) {
    if (range.version === version && value >> range.hostBits === range.network) {
      errors.push(invalid(path, ip, range.what));
    }
  }
  return errors;
}

/** A list of addresses or ranges, of which `versionOf` knows the family, 0 if it cannot be read: at most one of each. */
export function validateFamilies(
  values: readonly string[],
  versionOf: (value: string) => number,
  path: string,
  text: string,
): FieldErrors {
  if (values.length < 2) return [];
  const versions = values.map(versionOf);
  const errors: FieldError[] = versions.includes(0)
    ? [{ reason: "InternalError", field: path, message: "families cannot be told" }]
    : [];
  if (values.length > 2 || !versions.includes(4) || !versions.includes(6)) errors.push(invalid(path, values, text));
  return [...errors, ...[...repeats(values)].map((index) => duplicate(`${path}[${index}]`, values[index]))];
}
