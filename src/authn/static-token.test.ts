import { describe, expect, test } from "vitest";
import type { TokenAuthenticator } from "./contract.ts";
import { accepted } from "./credentials.suite.ts";
import { parseCsv } from "./csv.ts";
import { createStaticToken } from "./static-token.ts";

const ask = async (tokens: TokenAuthenticator, token: string) => await tokens.authenticateToken(token);

describe("static tokens", () => {
  const tokens = createStaticToken({ csv: 't-1,ann,u-1,"dev,ops"\n\nt-2,bob,u-2\nt-3,carol,u-3,\n' });

  test("each line is a user with uid and groups", async () => {
    expect(accepted(await ask(tokens, "t-1"))).toEqual({
      user: { name: "ann", uid: "u-1", groups: ["dev", "ops"], extra: new Map() },
      by: "static-token",
    });
    expect(accepted(await ask(tokens, "t-2")).user.groups).toEqual([]);
    expect(accepted(await ask(tokens, "t-3")).user.groups).toEqual([""]); // an empty column is one empty group in v1.21
  });

  test("names that every object inherits are not tokens (N03 in docs/security-rows.md)", async () => {
    for (const token of ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", ""]) {
      expect(await ask(tokens, token)).toBe("rejected");
    }
  });

  test("a token that is nearly right is refused like any other (N25)", async () => {
    for (const token of ["t-", "t-11", "T-1", "t-1 ", " t-1"]) expect(await ask(tokens, token)).toBe("rejected");
  });

  test("the table holds no token (B07, D07)", () => {
    const seen: string[] = [];
    const digester = { digest: (secret: string) => `d${secret.length}`, equal: () => false };
    createStaticToken({ csv: "secret-token,ann,1\n", digester, warn: (text) => seen.push(text) });
    expect(seen).toEqual([]);
  });

  test("the error about a bad file never contains a token (C30)", () => {
    expect(() => createStaticToken({ csv: "canary-token,ann\n" })).toThrow(/^(?!.*canary).*3 columns/);
    expect(() => createStaticToken({ csv: 'canary-token,"ann\n' })).toThrow(/^(?!.*canary).*line 1/);
    const warnings: string[] = [];
    createStaticToken({ csv: ",x,1\ncanary,a,1\ncanary,b,2\n", warn: (text) => warnings.push(text) });
    expect(warnings.join()).toMatch(/record 1.*empty.*record 3.*repeats/);
    expect(warnings.join()).not.toContain("canary");
  });

  test("of two lines with the same token the last is used", async () => {
    const twice = createStaticToken({ csv: "t,ann,1\nt,bob,2\n" });
    expect(accepted(await ask(twice, "t")).user.name).toBe("bob");
  });
});

describe("comma-separated values", () => {
  const cases = [
    { why: "plain and empty values", text: "a,,c\n", records: [["a", "", "c"]] },
    { why: "a quoted value keeps commas and line ends", text: '"a,\n""b""",c', records: [['a,\n"b"', "c"]] },
    {
      why: "a trailing comma is an empty value",
      text: "a,\r\nb,\n",
      records: [
        ["a", ""],
        ["b", ""],
      ],
    },
    { why: "blank lines are skipped", text: "\n\r\n", records: [] },
  ];
  for (const { why, text, records } of cases) test(why, () => expect(parseCsv(text)).toEqual(records));
  test("quotes in the wrong place are refused", () => {
    for (const text of ['a"b', '"a"b', '"a']) expect(() => parseCsv(text)).toThrow(/line 1/);
  });
});
