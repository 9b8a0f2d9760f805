/** What the flags for addresses and ports of services mean. */

import { describe, expect, test } from "vitest";
import { parseAddressRanges, parsePortRange } from "./address-range.ts";

describe("addresses", () => {
  test("network and broadcast addresses are never allocated, whatever address names the range", () => {
    const [range] = parseAddressRanges("10.0.0.77/24");
    expect(range).toMatchObject({ text: "10.0.0.0/24", family: "IPv4", size: 254 });
    expect([range?.at(0), range?.at(253)]).toEqual(["10.0.0.1", "10.0.0.254"]);
    expect(["10.0.0.0", "10.0.0.255", "10.0.1.1", "fd00::1", "x"].map((ip) => range?.canonical(ip))).toEqual(
      Array.from({ length: 5 }),
    );
  });

  test("only the first addresses of a large IPv6 range are used", () => {
    const [range] = parseAddressRanges("fd00::/108");
    expect(range).toMatchObject({ family: "IPv6", size: 65_535 });
    expect([range?.at(0), range?.at(65_534), range?.canonical("FD00::00FF")]).toEqual([
      "fd00::1",
      "fd00::ffff",
      "fd00::ff",
    ]);
  });

  const refused = [
    { why: "not a range", text: "10.0.0.0" },
    { why: "not an address", text: "ten/24" },
    { why: "a prefix that is too long", text: "10.0.0.0/33" },
    { why: "a range that is too large", text: "10.0.0.0/11" },
    { why: "a range that is too large", text: "fd00::/64" },
    { why: "a range without usable addresses", text: "10.0.0.0/31" },
    { why: "two ranges of one family", text: "10.0.0.0/24,10.1.0.0/24" },
    { why: "three ranges", text: "10.0.0.0/24,fd00::/112,10.1.0.0/24" },
    { why: "an empty value", text: "" },
  ];
  for (const { why, text } of refused) {
    test(`"${text}" is refused: ${why}`, () => expect(() => parseAddressRanges(text)).toThrow());
  }
});

describe("a port range", () => {
  const cases = [
    { why: "includes both ends", text: "30000-32767", range: "30000-32767", size: 2_768 },
    { why: "may be written as a base and an offset", text: "30000+100", range: "30000-30099", size: 100 },
    { why: "may be a single port", text: "30000", range: "30000-30000", size: 1 },
  ];
  for (const { why, text, range, size } of cases) {
    test(`${text}: ${why}`, () => expect(parsePortRange(text)).toMatchObject({ text: range, size }));
  }
  for (const text of ["", "0-10", "10-5", "1-70000", "a-b", "30000-"]) {
    test(`"${text}" is refused`, () => expect(() => parsePortRange(text)).toThrow("is not a range of ports"));
  }
});
