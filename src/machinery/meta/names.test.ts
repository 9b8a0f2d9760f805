import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../schema/environment.suite.ts";
import { checkName } from "./name-rule.ts";
import * as names from "./names.ts";

const a63 = "a".repeat(63);
const subdomain253 = `${a63}.${a63}.${a63}.${"a".repeat(61)}`;

const cases: { check: (text: string) => readonly string[]; good: string[]; bad: string[] }[] = [
  {
    check: names.isDns1123Label,
    good: ["a", "0", "a-b", "1-2", a63],
    bad: ["", "-a", "a-", "a.b", "A", "a_b", "a\n", "ä", `${a63}a`],
  },
  {
    check: names.isDns1123Subdomain,
    good: ["a", "a.b-c.0", subdomain253],
    bad: ["", ".", "a.", ".a", "a..b", "a.-b", "A.b", "a_b", "..", "a/b", `${subdomain253}a`],
  },
  { check: names.isDns1035Label, good: ["a", "a-1"], bad: ["", "1a", "a.b", "A", `${a63}a`] },
  {
    check: names.isWildcardDns1123Subdomain,
    good: ["*.example.com"],
    bad: ["*", "*.", "a.*", "*a.com", "**.com", "example.com"],
  },
  {
    check: names.isQualifiedName,
    good: ["a", "A_b.c-9", "example.com/My_Key.x", `sub.example.com/${a63}`],
    bad: [
      "",
      "/",
      "/a",
      "a/",
      "a/b/c",
      "Example.com/a",
      "a b",
      "-a",
      "a-",
      "__proto__",
      `${a63}a`,
      `${subdomain253}a/b`,
    ],
  },
  { check: names.isLabelValue, good: ["", "a", "A_b.c", a63], bad: ["b c", "b/c", "-b", "_", `${a63}a`] },
  {
    check: names.isConfigMapKey,
    good: ["a", ".a", "__proto__", "constructor", "A_b-c.d", "a".repeat(253)],
    bad: ["", ".", "..", "..a", "a b", "a/b", "a".repeat(254)],
  },
  { check: names.isEnvVarName, good: ["A", "_a", "a.b", "-"], bad: ["", "1a", "a b", "..", "a=b"] },
  { check: names.isPathSegmentName, good: ["a", "system:A b", "...", "", "ä"], bad: [".", "..", "a/b", "a%b", "/"] },
  { check: names.isHttpHeaderName, good: ["X-A"], bad: ["", "a b", "a:b", "a\r\nb"] },
  { check: names.isPercent, good: ["0%", "25%"], bad: ["", "%", "25", "2.5%", "-1%"] },
  {
    check: names.isPortName,
    good: ["http", "a-1", "1a"],
    bad: ["", "1", "-a", "a-", "a--b", "A", "abcdefghijklmnop"],
  },
  {
    check: names.isIp,
    good: ["10.0.0.1", "::1", "2001:db8::ffff", "::ffff:10.0.0.1"],
    bad: ["", "010.8.8.8", "0x7f.1", "127.1", "2130706433", "1.2.3.4.5", "fe80::1%eth0", "256.1.1.1", "1.2.3.4/8"],
  },
  {
    check: names.isCidr,
    good: ["10.0.0.0/8", "::/0", "2001:db8::/128", "10.1.2.3/32"],
    bad: ["", "10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "/8", "010.0.0.0/8", "a/8"],
  },
  {
    check: names.isFullyQualifiedDomainName,
    good: ["a.b", "a.b."],
    bad: ["", "a", ".", "a..", "A.b"],
  },
  { check: names.isFullyQualifiedName, good: ["a.b.c"], bad: ["", "a.b", "a.b.c."] },
  { check: names.isDomainPrefixedPath, good: ["a.b/c", "a.b/c/d"], bad: ["", "a.b", "a.b/", "A/b", "a/b c"] },
];

for (const { check, good, bad } of cases) {
  describe(check.name, () => {
    test.each(good)("accepts %j", (text) => expect(check(text)).toEqual([]));
    test.each(bad)("reports what is wrong with %j", (text) => expect(check(text)).not.toEqual([]));
  });
}

// A quadratic check would need minutes for its part of these.
test("hostile texts of a megabyte are checked in no time", () => {
  const alphabets = [
    "a",
    "-",
    ".",
    "a.",
    "a-",
    "/",
    "a/",
    "0",
    "1.",
    ":",
    "%",
    "_",
    "A",
    "é",
    " ",
    "\n",
    "a-.",
    "..",
    "::",
    "=(",
  ];
  for (const alphabet of alphabets) {
    const text = alphabet.repeat(1_000_000 / alphabet.length) + "!";
    for (const { check } of cases) expect(check(text)).toBeInstanceOf(Array);
  }
});

test("every label is also a subdomain and a qualified name", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/), (label) => {
      expect(names.isDns1123Label(label)).toEqual([]);
      expect(names.isDns1123Subdomain(`${label}.${label}`)).toEqual([]);
      expect(names.isQualifiedName(`${label}/${label}`)).toEqual([]);
    }),
  );
});

describe("name rules", () => {
  const environment = plainEnvironment();
  const isFine = (rule: Parameters<typeof checkName>[0], name: string, generated: boolean) =>
    checkName(rule, name, environment, generated).length === 0;

  test("allow a dash at the end of a prefix, and nothing else", () => {
    for (const rule of ["subdomain", "label", "label1035"] as const) {
      expect(["web-", "a-", "web"].map((name) => isFine(rule, name, true))).toEqual([true, true, true]);
      expect(["web.", "Web-", "-", "web--"].map((name) => isFine(rule, name, true))).toEqual([
        false,
        false,
        false,
        true,
      ]);
      expect(isFine(rule, "web-", false)).toBe(false);
    }
  });

  test("of path segments allow a dot as a prefix, but not as a name", () => {
    expect(isFine("pathSegment", ".", true)).toBe(true);
    expect(isFine("pathSegment", ".", false)).toBe(false);
  });

  test("may be a function of the kind", () => {
    expect(checkName((name, _, generated) => [`${name} ${generated}`], "x", environment, true)).toEqual(["x true"]);
  });
});
