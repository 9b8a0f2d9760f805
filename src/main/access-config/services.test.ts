/** The services that access configuration files name, over real TLS: several issuers of tokens at once, and several webhooks in order. */

import { generateKeyPairSync } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { afterEach, expect, test } from "vitest";
import { operatorFile } from "../../admission/configuration/operator-file.ts";
import { createCredentialMetrics } from "../../authn/metrics.ts";
import { createTokenUnion } from "../../authn/union.ts";
import { createUnion } from "../../authz/union.ts";
import { createManualClock } from "../../base/clock.ts";
import { type Answer, type HookServer, openHookServer } from "../../base/hook-server.suite.ts";
import { silentLog } from "../../base/log.ts";
import { orch } from "../../vocabulary/orch.ts";
import { asked } from "./asked.suite.ts";
import { parseAuthenticationConfig } from "./authentication-config.ts";
import { parseAuthorizationConfig } from "./authorization-config.ts";

const opened: HookServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

async function open(answer: Answer): Promise<HookServer> {
  const server = await openHookServer(answer);
  opened.push(server);
  return server;
}

const nowMs = Date.UTC(2026, 0, 1);

/** An issuer; its documents are at its own address, or at another one. */
async function openIssuer(url?: string) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...(await exportJWK(publicKey)), alg: "RS256", kid: "k" };
  const server: HookServer = await open(({ url: path }, response) =>
    response.end(
      JSON.stringify(
        path === "/keys" ? { keys: [key] } : { issuer: url ?? server.url, jwks_uri: `${server.url}/keys` },
      ),
    ),
  );
  const issuer = url ?? server.url;
  return {
    server,
    issuer,
    sign: (claims: Record<string, unknown>, audience: string | string[] = "orch") =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "RS256", kid: "k" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime(nowMs / 1_000 + 600)
        .sign(privateKey),
  };
}

test("tokens of several issuers are read by the mappings and rules of their own", { timeout: 30_000 }, async () => {
  const one = await openIssuer();
  const two = await openIssuer("https://two.test");
  const jwt = [
    {
      issuer: {
        url: one.issuer,
        certificateAuthority: one.server.authority,
        audiences: ["orch", "other"],
        audienceMatchPolicy: "MatchAny",
      },
      claimMappings: { username: { claim: "sub", prefix: "one:" }, groups: { claim: "roles", prefix: "one:" } },
      claimValidationRules: [{ claim: "tenant", requiredValue: "a" }],
    },
    {
      issuer: {
        url: two.issuer,
        discoveryURL: `${two.server.url}/.well-known/openid-configuration`,
        certificateAuthority: two.server.authority,
        audiences: ["orch"],
      },
      claimMappings: {
        username: { expression: "'two:' + claims.email" },
        groups: { expression: "claims.roles.split(',')" },
        uid: { claim: "sub" },
        extra: [{ key: "example.com/team", valueExpression: "claims.team" }],
      },
      claimValidationRules: [{ expression: "claims.email_verified == true" }],
      userValidationRules: [{ expression: "!user.username.startsWith('two:system:')" }],
    },
  ];
  const head = { apiVersion: "apiserver.config.orch.io/v1", kind: "AuthenticationConfiguration" };
  const { issuers } = await parseAuthenticationConfig(
    operatorFile("/etc/a.yaml", JSON.stringify({ ...head, jwt }), () => ""),
    {
      vocabulary: orch,
      release: "1.35",
      ownIssuer: "https://own.test",
      metrics: createCredentialMetrics(),
      clock: createManualClock(nowMs),
      log: silentLog,
    },
  );
  const tokens = createTokenUnion(issuers);
  const read = async (token: Promise<string>) => {
    const outcome = await tokens.authenticateToken(await token, []);
    return typeof outcome === "object" ? outcome.user : outcome;
  };
  const bob = { sub: "bob", tenant: "a", roles: ["r1", "r2"] };
  const bobUser = { name: "one:bob", uid: "", groups: ["one:r1", "one:r2"], extra: new Map() };
  expect(await read(one.sign(bob))).toEqual(bobUser);
  expect(await read(one.sign(bob, ["x", "other"]))).toEqual(bobUser);
  const ada = { sub: "u1", email: "ada@x", email_verified: true, roles: "a,b", team: ["red"] };
  expect(await read(two.sign(ada))).toEqual({
    name: "two:ada@x",
    uid: "u1",
    groups: ["a", "b"],
    extra: new Map([["example.com/team", ["red"]]]),
  });
  const refused = [
    one.sign(bob, "x"),
    one.sign({ ...bob, tenant: "b" }),
    two.sign({ ...ada, email_verified: false }),
    two.sign({ ...ada, email: "system:x" }),
    two.sign({ ...ada, roles: undefined }),
  ];
  for (const token of refused) expect(await read(token)).toBe("rejected");
});

test("webhooks are asked in their order, if their conditions hold, and once while an answer is remembered", async () => {
  const clock = createManualClock(nowMs);
  /** Answers by the name of the user; undefined: it does not answer. */
  const openWebhook = (decide: (user: string) => object | undefined) =>
    open((_, response, body) => {
      const review = JSON.parse(body);
      const status = decide(review.spec.user);
      if (status !== undefined) response.end(JSON.stringify({ ...review, status }));
      else response.destroy();
    });
  const first = await openWebhook((user) =>
    user === "a-lost" ? undefined : user === "a-denied" ? { denied: true, reason: "no" } : { allowed: false },
  );
  const second = await openWebhook((user) => ({ allowed: user.startsWith("a-") }));
  const connection = ({ url, authority }: HookServer) =>
    JSON.stringify({
      clusters: [
        {
          name: "c",
          cluster: { server: url, "certificate-authority-data": Buffer.from(authority).toString("base64") },
        },
      ],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      users: [{ name: "u", user: {} }],
      "current-context": "x",
    });
  const webhook = (name: string, more: object) => ({
    type: "Webhook",
    name,
    webhook: {
      timeout: "5s",
      subjectAccessReviewVersion: "v1",
      matchConditionSubjectAccessReviewVersion: "v1",
      authorizedTTL: "5m",
      unauthorizedTTL: "10s",
      connectionInfo: { type: "KubeConfigFile", kubeConfigFile: `/etc/${name}.conf` },
      ...more,
    },
  });
  const authorizerOf = async (failurePolicy: string) => {
    const authorizers = [
      webhook("first", { failurePolicy, matchConditions: [{ expression: "request.user.startsWith('a-')" }] }),
      webhook("second", { failurePolicy: "NoOpinion", subjectAccessReviewVersion: "v1beta1" }),
    ];
    const head = { apiVersion: "apiserver.config.orch.io/v1", kind: "AuthorizationConfiguration" };
    const found = await parseAuthorizationConfig(
      operatorFile("/etc/a.yaml", JSON.stringify({ ...head, authorizers }), (path) =>
        connection(path === "/etc/first.conf" ? first : second),
      ),
      { vocabulary: orch, release: "1.35", clock, log: silentLog },
    );
    return createUnion(found.flatMap(({ webhook: made }) => (made === undefined ? [] : [made])));
  };
  const authorizer = await authorizerOf("Deny");
  /** The outcome, and how often each of the two was called for it. */
  const decide = async (name: string, of = authorizer) => {
    const before = [first.calls.length, second.calls.length];
    const { outcome } = await of.authorize(asked(name));
    return [outcome, first.calls.length - before[0]!, second.calls.length - before[1]!];
  };
  expect(await decide("a-1")).toEqual(["allow", 1, 1]);
  expect(await decide("a-1")).toEqual(["allow", 0, 0]);
  clock.advance(11_000);
  // No opinion is remembered for a shorter time than a right.
  expect(await decide("a-1")).toEqual(["allow", 1, 0]);
  expect(await decide("a-denied")).toEqual(["deny", 1, 0]);
  expect(await decide("b-1")).toEqual(["none", 0, 1]);
  expect(await decide("a-lost")).toEqual(["deny", 1, 0]);
  expect(await decide("a-lost", await authorizerOf("NoOpinion"))).toEqual(["allow", 1, 1]);
  expect(JSON.parse(second.calls[0]!.body).apiVersion).toBe("authorization.orch.io/v1beta1");
});
