import { expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { hasAt } from "../schema/features.ts";
import { formatCharsMax, hasFormat, isCheckedFormat } from "./formats.ts";

const uuid1 = "01234567-89ab-1def-0123-456789abcdef";
const cases: { format: string; right: string[]; wrong: string[] }[] = [
  { format: "bsonobjectid", right: ["0123456789abcdefABCDEF01"], wrong: ["0123", "0123456789abcdefABCDEF0g", ""] },
  { format: "byte", right: ["YQ==", "YWI=", "YWJj"], wrong: ["", "YQ", "YQ=", "a b="] },
  { format: "cidr", right: ["10.0.0.0/8", "fd00::/64"], wrong: ["10.0.0.0", "10.0.0.0/33"] },
  {
    format: "creditcard",
    right: ["4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005"],
    wrong: ["4111111111111112", "1234567812345670", "4", ""],
  },
  { format: "date", right: ["2024-02-29"], wrong: ["2023-02-29", "2023-2-9", "", "2023-02-09T"] },
  {
    format: "date-time",
    right: ["2024-02-29T23:59:59Z", "2024-02-29t00:00:00.25+99:00", "2024-02-29T00:00:00z"],
    wrong: ["2023-02-29T00:00:00Z", "2024-02-29T24:00:00Z", "2024-02-29T00:60:00Z", "2024-02-29T00:00:00", "T"],
  },
  {
    format: "duration",
    right: ["1h30m", "2 weeks", "1 day and 3 hours", "7 NANOS", "5µs", "3 hr"],
    wrong: ["", "five", "1 lightyear", "2 we", "weeks", "3 hrs"],
  },
  {
    format: "email",
    right: ["a@b", "A B <a.b+c@d.example>", '"a b"@c', '"A, B" <a@b>', "a@[1.2.3.4]", "ä@b"],
    wrong: ["a", "@b", "a@", "a b@c", ".a@b", "a@b..c", "A <a@b", "a@b>", "a@b, c@d", ""],
  },
  { format: "hexcolor", right: ["#1aF", "1A2b3C"], wrong: ["#1a", "#12345", "red"] },
  {
    format: "hostname",
    right: ["a", "a-", "a-b", "a-b-c.example", "bücher.example", `${"a".repeat(63)}.com`],
    wrong: ["", "a.", "a.b", "a.b1", "-a", "a-b-c", "a_b", "a b", `${"a".repeat(64)}.com`, `${"a.".repeat(130)}com`],
  },
  { format: "ipv4", right: ["1.2.3.4", "::ffff:1.2.3.4"], wrong: ["::1", "1.2.3", "1.2.3.4/8"] },
  { format: "ipv6", right: ["::1", "::ffff:1.2.3.4"], wrong: ["1.2.3.4", "::g"] },
  {
    format: "isbn",
    right: ["0-306-40615-2", "0-8044-2957-X", "978-0-306-40615-7"],
    wrong: ["0-306-40615-3", "978", ""],
  },
  { format: "isbn10", right: ["0306406152"], wrong: ["9780306406157"] },
  { format: "isbn13", right: ["9780306406157"], wrong: ["0306406152", "9780306406158"] },
  {
    format: "mac",
    right: ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef"],
    wrong: ["01:23:45:67:89", "01:23-45:67:89:ab", "0123.4567", "01:23:45:67:89:ag", ""],
  },
  {
    format: "rgbcolor",
    right: ["rgb(0,99,255)", "rgb( 1 , 2 , 3 )"],
    wrong: ["rgb(256,0,0)", "rgb(01,0,0)", "rgb(1,2)", "red"],
  },
  { format: "ssn", right: ["123-45-6789", "123 45 6789"], wrong: ["123456789", "123-45-678a"] },
  {
    format: "uri",
    right: ["https://a/b?c#d", "urn:a", "/a b", "*"],
    wrong: ["", "a/b", "a b", "://a", "https://[a/", "/%"],
  },
  { format: "uuid", right: [uuid1, uuid1.toUpperCase(), uuid1.replaceAll("-", "")], wrong: ["0123", `${uuid1}0`] },
  { format: "uuid3", right: [uuid1.replace("-1", "-3")], wrong: [uuid1] },
  {
    format: "uuid4",
    right: [uuid1.replace("-1", "-4").replace("-0", "-b")],
    wrong: [uuid1, uuid1.replace("-1", "-4")],
  },
  {
    format: "uuid5",
    right: [uuid1.replace("-1", "-5").replace("-0", "-8")],
    wrong: [uuid1, uuid1.replace("-1", "-5")],
  },
  { format: "password", right: ["", "anything"], wrong: [] },
  { format: "no-such-format", right: ["", "anything"], wrong: [] },
];
for (const { format, right, wrong } of cases) {
  test(`${format} accepts valid values and refuses others`, () => {
    expect(right.filter((text) => !hasFormat(text, format))).toEqual([]);
    expect(wrong.filter((text) => hasFormat(text, format))).toEqual([]);
  });
}

test("dashes in the name of a format are ignored", () => {
  expect([hasFormat("x", "ip-v4"), hasFormat("1.2.3.4", "ip-v-4")]).toEqual([false, true]);
});

test("names have formats since 1.34", () => {
  const [now, before] = [hasAt("1.34"), hasAt("1.33")];
  expect([hasFormat("a-1", "k8s-short-name", now), hasFormat("a.b", "k8s-short-name", now)]).toEqual([true, false]);
  expect([hasFormat("a.b", "k8s-long-name", now), hasFormat("a..b", "k8s-long-name", now)]).toEqual([true, false]);
  expect([hasFormat("A", "k8s-short-name", before), isCheckedFormat("k8s-short-name", before)]).toEqual([true, false]);
  expect(isCheckedFormat("k8s-long-name", now)).toBe(true);
});

test("addresses of IPv4 may have leading zeros, but not at level 1.21", () => {
  const now = () => true;
  expect(["ipv4", "cidr"].map((format) => hasFormat(`010.0.0.0${format === "cidr" ? "/8" : ""}`, format, now))).toEqual(
    [true, true],
  );
  expect([hasFormat("010.0.0.0/8", "cidr"), hasFormat("0256.0.0.0", "ipv4", now)]).toEqual([false, false]);
});

test("a text that is too long has no format, and no check takes long", () => {
  expect(hasFormat("A".repeat(formatCharsMax + 4), "byte")).toBe(false);
  expect(hasFormat("A".repeat(formatCharsMax), "byte")).toBe(true);
  const spentMs = measureWork();
  for (const { format } of cases) {
    for (const piece of ["a", "a.", "a-", "1 ", "<", '"', "@", "0:", "a@a."])
      hasFormat(`${piece.repeat(formatCharsMax / piece.length - 2)}!`, format);
  }
  expect(spentMs()).toBeLessThan(5_000);
});
