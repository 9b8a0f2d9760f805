import { expect, test } from "vitest";
import { operatorFile } from "../../admission/configuration/operator-file.ts";
import { createCredentialMetrics } from "../../authn/metrics.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { orch } from "../../vocabulary/orch.ts";
import {
  issuerRulesMax,
  issuersMax,
  type JwtConfiguration,
  parseAuthenticationConfig,
} from "./authentication-config.ts";
import { createClaimMapper } from "./claim-mapper.ts";

const head = { apiVersion: "apiserver.config.orch.io/v1", kind: "AuthenticationConfiguration" };
const parse = (more: object) =>
  parseAuthenticationConfig(
    operatorFile("/etc/a.yaml", JSON.stringify({ ...head, ...more }), () => ""),
    {
      vocabulary: orch,
      release: "1.35",
      ownIssuer: "https://own.test",
      metrics: createCredentialMetrics(),
      clock: createManualClock(0),
      log: silentLog,
    },
  );
const username = { claim: "sub", prefix: "" };
const entry = (issuer: object = {}, more: object = {}) => ({
  issuer: { url: "https://issuer.test", audiences: ["orch"], ...issuer },
  claimMappings: { username },
  ...more,
});

test("anonymous requests are taken at the paths that are listed, or at all", async () => {
  const rule = async (anonymous: object) => (await parse({ anonymous })).allowsAnonymous;
  const listed = await rule({ enabled: true, conditions: [{ path: "/livez" }] });
  expect([listed?.("/livez"), listed?.("/livez/"), listed?.("/api")]).toEqual([true, false, false]);
  expect((await rule({ enabled: true }))?.("/api")).toBe(true);
  expect((await rule({ enabled: false }))?.("/livez")).toBe(false);
  expect((await parse({})).allowsAnonymous).toBeUndefined();
  await expect(rule({ enabled: false, conditions: [{ path: "/livez" }] })).rejects.toThrow("needs enabled");
  await expect(rule({ enabled: true, conditions: [{ path: "livez" }] })).rejects.toThrow("is not a path");
});

test("a mistake is reported with its place", async () => {
  const rules = (count: number) => Array.from({ length: count }, (_, at) => ({ expression: `${at} == ${at}` }));
  const cases: readonly [readonly object[], string][] = [
    [[entry({ url: "http://issuer.test" })], "must be an https URL"],
    [[entry({ url: "https://own.test" })], "is the issuer of this server"],
    [[entry(), entry()], "jwt[1].issuer.url"],
    [[entry({ audiences: [] })], "at least one audience"],
    [[entry({ audiences: ["a", "b"] })], "audienceMatchPolicy"],
    [[entry({ discoveryURL: "https://issuer.test/" })], "discoveryURL: must differ"],
    [[entry({ discoveryURL: "http://keys.test" })], "discoveryURL: must be an https URL"],
    [[entry({ url: "https://a:b@issuer.test" })], "issuer.url: must not have a user name"],
    [[entry({ url: "https://issuer.test?a=b" })], "issuer.url: must not have a query"],
    [[entry({ url: "https://issuer.test#a" })], "issuer.url: must not have a query or fragment"],
    [["a", "b"].map((name) => entry({ url: `https://${name}.test`, discoveryURL: "https://keys.test" })), "jwt[1]"],
    [[entry({ egressSelectorType: "etcd" })], "egressSelectorType"],
    [[entry({ certificateAuthority: "none" })], "in PEM form"],
    [
      [entry({}, { claimValidationRules: [{ claim: "a" }, { claim: "a", requiredValue: "b" }] })],
      "Rules[1]: the claim",
    ],
    [[entry({}, { userValidationRules: [{ expression: "true" }, { expression: "true" }] })], "is used twice"],
    [
      [entry({}, { claimMappings: { username, extra: [{ key: "x.orch.io/a", valueExpression: "'b'" }] } })],
      "a domain of",
    ],
    [[entry({}, { claimMappings: { username: { claim: "sub" } } })], "username.prefix"],
    [[entry({}, { claimMappings: { username: { claim: "sub", prefix: "", expression: "'a'" } } })], "exactly one"],
    [[entry({}, { claimMappings: { username: { expression: "claims." } } })], "username.expression"],
    [[entry({}, { claimMappings: { username: { expression: "claims.email" } } })], "claims.email_verified"],
    [[entry({}, { userValidationRules: [{ expression: "user.name == 'a'" }] })], "userValidationRules[0]"],
    [[entry({}, { claimValidationRules: [{ expression: "claims.a" }] })], "must be a bool"],
    [[entry({}, { claimMappings: { username, extra: [{ key: "A", valueExpression: "'b'" }] } })], "extra[0].key"],
    [[entry({}, { userValidationRules: rules(issuerRulesMax + 1) })], "userValidationRules: must have at most"],
    [[entry({}, { claimValidationRules: rules(issuerRulesMax + 1) })], "claimValidationRules: must have at most"],
    [Array.from({ length: issuersMax + 1 }, (_, at) => entry({ url: `https://i${at}.test` })), "at most"],
  ];
  for (const [jwt, message] of cases) await expect(parse({ jwt })).rejects.toThrow(message);
  expect((await parse({ jwt: [entry(), entry({ url: "https://other.test" })] })).issuers).toHaveLength(2);
});

test("claims become a user by claims and expressions", async () => {
  const map = async (more: object, claims: object) => {
    const around = { release: "1.35", log: silentLog, vocabulary: orch } as const;
    const mapper = await createClaimMapper(entry({}, more) as JwtConfiguration, "jwt[0]", around);
    return await mapper(claims as Readonly<Record<string, unknown>>);
  };
  const claims = { sub: "ivy", dept: "ops", roles: ["a", "b"], nested: { id: "7" } };
  expect(
    await map(
      { claimMappings: { username: { claim: "sub", prefix: "x:" }, groups: { claim: "roles", prefix: "g:" } } },
      claims,
    ),
  ).toEqual({
    name: "x:ivy",
    uid: "",
    groups: ["g:a", "g:b"],
    extra: new Map(),
  });
  const claimMappings = {
    username: { expression: "claims.sub + '@' + claims.dept" },
    groups: { expression: "claims.roles.filter(r, r != 'b')" },
    uid: { expression: "claims.nested.id" },
    extra: [
      { key: "example.com/dept", valueExpression: "claims.dept" },
      { key: "example.com/none", valueExpression: "''" },
    ],
  };
  expect(await map({ claimMappings }, claims)).toEqual({
    name: "ivy@ops",
    uid: "7",
    groups: ["a"],
    extra: new Map([["example.com/dept", ["ops"]]]),
  });
  // A user name that is a list, even of one text, a missing claim, a claim of another type, and rules that do not hold.
  expect(await map({ claimMappings: { username: { claim: "sub", prefix: "" } } }, { sub: ["ivy"] })).toBeUndefined();
  expect(await map({ claimMappings: { username: { expression: "[claims.sub]" } } }, claims)).toBeUndefined();
  expect(await map({ claimMappings }, { ...claims, dept: undefined })).toBeUndefined();
  expect(await map({ claimMappings: { username: { claim: "nested", prefix: "" } } }, claims)).toBeUndefined();
  expect(
    await map({ claimMappings: { username: { claim: "email", prefix: "" } } }, { email: "a@b", email_verified: false }),
  ).toBeUndefined();
  const rules = async (rule: object) => await map({ claimValidationRules: [rule] }, claims);
  expect((await rules({ claim: "dept", requiredValue: "ops" }))?.name).toBe("ivy");
  expect(await rules({ claim: "dept", requiredValue: "hr" })).toBeUndefined();
  expect(await rules({ expression: "claims.dept == 'hr'", message: "only hr" })).toBeUndefined();
  const users = async (expression: string) => await map({ userValidationRules: [{ expression }] }, claims);
  expect((await users("!user.username.startsWith('system:')"))?.name).toBe("ivy");
  expect(await users("user.username == 'eve'")).toBeUndefined();
});
