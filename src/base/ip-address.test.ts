/** Addresses read and written. */

import { isIP, isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatIp, isIpv4, parseIp } from "./ip-address.ts";

describe("the canonical text of an address", () => {
  const cases = [
    { why: "IPv4 has one form", text: "10.0.0.1", canonical: "10.0.0.1" },
    { why: "letters become lower case", text: "2001:DB8::1", canonical: "2001:db8::1" },
    { why: "leading zeros are dropped", text: "2001:0db8:0000:0000:0000:0000:0000:0001", canonical: "2001:db8::1" },
    { why: "one group of zeros is not shortened", text: "2001:db8:0:1:1:1:1:1", canonical: "2001:db8:0:1:1:1:1:1" },
    { why: "the first of two longest runs is shortened", text: "2001:db8:0:0:1:0:0:1", canonical: "2001:db8::1:0:0:1" },
    { why: "only zeros", text: "0:0:0:0:0:0:0:0", canonical: "::" },
    { why: "the last part may be IPv4", text: "64:ff9b::10.0.0.1", canonical: "64:ff9b::a00:1" },
    { why: "an IPv4-mapped address is IPv4", text: "::ffff:10.0.0.1", canonical: "10.0.0.1" },
    { why: "zones name an interface of one host", text: "fe80::1%eth0", canonical: undefined },
    { why: "a name is not an address", text: "localhost", canonical: undefined },
    { why: "an empty text is not an address", text: "", canonical: undefined },
  ];
  for (const { why, text, canonical } of cases) {
    test(`${text || "empty"}: ${why}`, () => {
      const address = parseIp(text);
      expect(address && formatIp(address)).toBe(canonical);
    });
  }
});

test("Node takes the same texts for IPv4 addresses", () => {
  const bytes = Array.from({ length: 1_200 }, (_, at) => [`${at}.2.3.4`, `1.2.3.${at}`, `1.0${at}.3.4`]).flat();
  for (const text of [
    ...bytes,
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.4.",
    ".1.2.3.4",
    "1..3.4",
    "1.2.3.4\n",
    " 1.2.3.4",
    "1.2.3.4/8",
  ])
    expect([text, isIpv4(text)]).toEqual([text, isIPv4(text)]);
});

test("what is written is read back as the same address", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (value) => {
      fc.pre(value >> 32n !== 0xffffn);
      const text = formatIp({ version: 6, value });
      expect(isIPv6(text)).toBe(true);
      expect(parseIp(text)).toEqual({ version: 6, value });
    }),
  );
});

test("the same texts are addresses as for Node, but for those with a zone", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "",
      "0",
      "1",
      "00f",
      "ffff",
      "FFFF",
      "12345",
      "g",
      "10.0.0.1",
      "1.2.3",
      "256.0.0.1",
      "01.2.3.4",
      ":",
      "-1",
    ),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const text = parts.join(":");
      fc.pre(!text.includes("%"));
      expect(parseIp(text) !== undefined, text).toBe(isIP(text) !== 0);
    }),
    { numRuns: 2_000 },
  );
});
