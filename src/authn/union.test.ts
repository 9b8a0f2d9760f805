import { describe, expect, test } from "vitest";
import type { User } from "../machinery/meta/user.ts";
import { withServerAudiences } from "./audiences.ts";
import { bearerToken, createBearer } from "./bearer.ts";
import type { AuthenticationOutcome, Authenticator, TokenAuthenticator } from "./contract.ts";
import { accepted, bearer, credentials } from "./credentials.suite.ts";
import { withAuthenticatedGroup, withAuthenticatedGroupOnTokens } from "./groups.ts";
import { createTokenUnion, createUnion } from "./union.ts";

const userNamed = (name: string, groups: string[] = []): User => ({ name, uid: "", groups, extra: new Map() });
const saying = (outcome: AuthenticationOutcome, later = false): Authenticator => ({
  name: "test",
  authenticate: () => (later ? Promise.resolve(outcome) : outcome),
});
const ann = { user: userNamed("ann"), by: "one" };
const bob = { user: userNamed("bob"), by: "two" };

describe("the union of authenticators", () => {
  const request = credentials({ headers: { authorization: "Bearer x", accept: "*/*", "x-remote-extra-a": "b" } });

  for (const later of [false, true]) {
    const when = later ? "later" : "at once";
    test(`the first that knows the caller wins (answers ${when}) (N33 in docs/security-rows.md)`, async () => {
      const union = createUnion({
        authenticators: [saying("rejected", later), saying(ann, later), saying(bob, later)],
      });
      expect(await union.authenticate(request)).toMatchObject({ user: { name: "ann" } });
    });
    test(`a credential that no authenticator accepts is 401, never anonymous (answers ${when}) (D04)`, async () => {
      const union = createUnion({ authenticators: [saying(undefined, later), saying("rejected", later)] });
      await expect(async () => await union.authenticate(request)).rejects.toMatchObject({ code: 401 });
    });
    test(`a request without a credential has no user (answers ${when})`, async () => {
      expect(await createUnion({ authenticators: [saying(undefined, later)] }).authenticate(request)).toBeUndefined();
    });
  }

  test("headers that carry secrets or names are never passed on (D04, N17)", () => {
    const union = createUnion({
      authenticators: [saying(ann)],
      secretHeaders: ["authorization", "x-remote-user", "x-remote-extra-*"],
    });
    expect(request.headerNames().filter((name) => union.isConsumed?.(name))).toEqual([
      "authorization",
      "x-remote-extra-a",
    ]);
  });

  test("a refusal says nothing about the credential (C30)", async () => {
    const union = createUnion({ authenticators: [saying("rejected")] });
    await expect(async () => await union.authenticate(bearer("canary"))).rejects.toMatchObject({
      message: "Unauthorized",
    });
  });
});

describe("bearer tokens", () => {
  const cases = [
    { why: "the scheme in any case", header: "bEaReR abc", token: "abc" },
    { why: "white space around", header: "  Bearer abc  ", token: "abc" },
    { why: "two spaces make an empty token", header: "Bearer  abc", token: undefined },
    { why: "anything after the token is ignored", header: "Bearer abc def", token: "abc" },
    { why: "no token", header: "Bearer", token: undefined },
    { why: "another scheme", header: "Basic abc", token: undefined },
    { why: "no scheme", header: "abc", token: undefined },
  ];
  for (const { why, header, token } of cases) {
    test(why, () => expect(bearerToken(credentials({ headers: { authorization: header } }))).toBe(token));
  }
  test("two Authorization headers are refused (N17)", () => {
    const two = credentials({ headers: { authorization: ["Bearer a", "Bearer b"] } });
    expect(() => bearerToken(two)).toThrow(expect.objectContaining({ code: 400 }));
  });
  test("a request without a token has no credential, a wrong token is rejected", async () => {
    const tokens: TokenAuthenticator = { name: "t", authenticateToken: (t) => (t === "good" ? ann : "rejected") };
    const authenticator = createBearer({ tokens });
    expect(await authenticator.authenticate(credentials({}))).toBeUndefined();
    expect(await authenticator.authenticate(bearer("bad"))).toBe("rejected");
    expect(accepted(await authenticator.authenticate(bearer("good"))).user.name).toBe("ann");
  });
});

describe("tokens of several kinds", () => {
  const knowing = (token: string, name: string): TokenAuthenticator => ({
    name,
    authenticateToken: (given) => (given === token ? { user: userNamed(name), by: name } : "rejected"),
  });
  test("each is tried until one accepts", async () => {
    const union = createTokenUnion([knowing("a", "one"), knowing("b", "two")]);
    expect(accepted(await union.authenticateToken("b")).by).toBe("two");
    expect(await union.authenticateToken("c")).toBe("rejected");
    expect(await createTokenUnion([]).authenticateToken("c")).toBe("rejected");
  });

  test("a token without audiences is valid for the server's own", async () => {
    const tokens = withServerAudiences(knowing("a", "one"), ["api", "api2"]);
    expect(accepted(await tokens.authenticateToken("a", ["x", "api"])).audiences).toEqual(["api"]);
    expect(accepted(await tokens.authenticateToken("a")).audiences).toBeUndefined();
    expect(await tokens.authenticateToken("a", ["x"])).toBe("rejected");
  });
});

describe("the group of everyone who has authenticated", () => {
  const cases = [
    { why: "is added last", user: userNamed("ann", ["dev"]), groups: ["dev", "system:authenticated"] },
    { why: "is not added twice", user: userNamed("a", ["system:authenticated"]), groups: ["system:authenticated"] },
    {
      why: "is not added to anonymous users",
      user: userNamed("a", ["system:unauthenticated"]),
      groups: ["system:unauthenticated"],
    },
    { why: "is not added to the anonymous user", user: userNamed("system:anonymous"), groups: [] },
  ];
  for (const { why, user, groups } of cases) {
    test(why, async () => {
      const outcome = await withAuthenticatedGroup(saying({ user, by: "x" })).authenticate(credentials({}));
      expect(accepted(outcome).user.groups).toEqual(groups);
      const tokens = withAuthenticatedGroupOnTokens({ name: "t", authenticateToken: async () => ({ user, by: "x" }) });
      expect(accepted(await tokens.authenticateToken("t")).user.groups).toEqual(groups);
    });
  }
});
