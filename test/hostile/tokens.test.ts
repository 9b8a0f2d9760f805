/** Tokens that claim more than they prove. */

import { createHmac, generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { accessFlags, accountKeys, allowWhoAmI, issuer, part, signToken, whoAmI } from "./access.ts";
import { adminToken, aliceToken, useTarget } from "./target.ts";

const target = useTarget({ flags: accessFlags });
const ask = (token: string) => whoAmI(target, { token });
let sound = "";
let uid = "";

beforeAll(async () => {
  await allowWhoAmI(target);
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  uid = (await target.post(accounts, { metadata: { name: "robot" } })).body.metadata.uid;
  const asked = { spec: { expirationSeconds: 3600 } };
  sound = (await target.post(`${accounts}/robot/token`, asked)).body.status.token;
});

const now = () => Math.floor(Date.now() / 1000);
const claims = (more: Record<string, unknown> = {}) => ({
  iss: issuer,
  aud: [issuer],
  sub: "system:serviceaccount:default:robot",
  iat: now() - 5,
  nbf: now() - 5,
  exp: now() + 3600,
  "orch.io": { namespace: "default", serviceaccount: { name: "robot", uid } },
  ...more,
});

describe("N26 JWT", () => {
  test("N26 JWT: a valid token is accepted, so that the refusals below mean something", async () => {
    expect((await ask(sound)).username).toBe("system:serviceaccount:default:robot");
    expect((await ask(signToken({ alg: "RS256" }, claims()))).username).toBe("system:serviceaccount:default:robot");
  });

  const publicPem = accountKeys.publicKey.export({ type: "spki", format: "pem" }) as string;
  const hmac = (secret: string, header: unknown) => {
    const text = `${part(header)}.${part(claims())}`;
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  };
  const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ownJwk = own.publicKey.export({ format: "jwk" });
  const forged = [
    { what: "no algorithm", token: () => `${part({ alg: "none" })}.${part(claims())}.` },
    { what: "no algorithm, in other letters", token: () => `${part({ alg: "nOnE" })}.${part(claims())}.${part("x")}` },
    { what: "the public key as a secret", token: () => hmac(publicPem, { alg: "HS256" }) },
    { what: "an empty secret", token: () => hmac("", { alg: "HS256" }) },
    { what: "another curve", token: () => signToken({ alg: "ES256" }, claims(), curve.privateKey) },
    { what: "another algorithm of the same key", token: () => signToken({ alg: "RS512" }, claims()) },
    { what: "another key", token: () => signToken({ alg: "RS256" }, claims(), own.privateKey) },
    {
      what: "an embedded key",
      token: () => signToken({ alg: "RS256", jwk: ownJwk }, claims(), own.privateKey),
    },
    {
      what: "a key id that is a path",
      token: () => signToken({ alg: "RS256", kid: "../../../dev/null" }, claims(), own.privateKey),
    },
    {
      what: "key URLs",
      token: () =>
        signToken({ alg: "RS256", jku: "http://127.0.0.1:1/", x5u: "http://127.0.0.1:1/" }, claims(), own.privateKey),
    },
    { what: "a critical extension", token: () => signToken({ alg: "RS256", crit: ["exp2"], exp2: 1 }, claims()) },
    { what: "an expired time", token: () => signToken({ alg: "RS256" }, claims({ exp: now() - 600 })) },
    { what: "a time in the future", token: () => signToken({ alg: "RS256" }, claims({ nbf: now() + 600 })) },
    { what: "a time that is a text", token: () => signToken({ alg: "RS256" }, claims({ exp: `${now() + 600}` })) },
    {
      what: "a time out of range",
      token: () => signToken({ alg: "RS256" }, JSON.stringify(claims()).replace(/"exp":[0-9]+/, '"exp":1e400')),
    },
    { what: "another issuer", token: () => signToken({ alg: "RS256" }, claims({ iss: "https://evil" })) },
    { what: "another audience", token: () => signToken({ alg: "RS256" }, claims({ aud: ["vault"] })) },
    {
      what: "a missing account",
      token: () =>
        signToken(
          { alg: "RS256" },
          claims({
            sub: "system:serviceaccount:default:ghost",
            "orch.io": { namespace: "default", serviceaccount: { name: "ghost", uid } },
          }),
        ),
    },
    {
      what: "the uid of an earlier account",
      token: () =>
        signToken(
          { alg: "RS256" },
          claims({ "orch.io": { namespace: "default", serviceaccount: { name: "robot", uid: "old" } } }),
        ),
    },
    { what: "padding", token: () => `${sound}=` },
    { what: "a fourth part", token: () => `${sound}.x` },
    { what: "other bits that decode to the same bytes", token: () => alike(sound) },
    { what: "claims that are a list", token: () => signToken({ alg: "RS256" }, []) },
    { what: "a header that is null", token: () => signToken("null", claims()) },
    { what: "an algorithm that is a list", token: () => signToken({ alg: ["RS256"] }, claims()) },
    { what: "an algorithm by inheritance", token: () => signToken({ alg: "constructor" }, claims()) },
    { what: "a header with a prototype", token: () => signToken('{"__proto__":{"alg":"RS256"}}', claims()) },
    { what: "30 KB of claims", token: () => signToken({ alg: "RS256" }, claims({ x: "y".repeat(30_000) })) },
  ];
  for (const { what, token } of forged) {
    test(`N26 JWT: ${what} is unauthorized`, async () => {
      const { status, answer } = await ask(token());
      expect([status, answer.body.message]).toEqual([401, "Unauthorized"]);
    });
  }

  test("N26 JWT: the verified claims name the user, not the subject beside them", async () => {
    const who = await ask(signToken({ alg: "RS256" }, claims({ sub: "system:serviceaccount:orch-system:admin" })));
    expect([undefined, "system:serviceaccount:default:robot"]).toContain(who.username);
  });

  test("N26 JWT: the signature of one token does not match another", async () => {
    const [header, , signature] = sound.split(".");
    expect((await ask(`${header}.${part(claims())}.${signature}`)).status).toBe(401);
    for (const at of [5, 100, sound.length - 30]) {
      const changed = `${sound.slice(0, at)}${sound[at] === "A" ? "B" : "A"}${sound.slice(at + 1)}`;
      expect((await ask(changed)).status).toBe(401);
    }
  });

  test("C33 merged errors: invalid signatures, expired tokens and both are refused with one body", async () => {
    const answers = await Promise.all([
      ask(signToken({ alg: "RS256" }, claims({ exp: now() - 600 }), own.privateKey)),
      ask(signToken({ alg: "RS256" }, claims(), own.privateKey)),
      ask(signToken({ alg: "RS256" }, claims({ exp: now() - 600 }))),
      ask(signToken({ alg: "RS256" }, claims({ aud: ["other"] }))),
      ask("wrong"),
    ]);
    expect(new Set(answers.map(({ status, answer }) => `${status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect((await ask(sound)).status).toBe(201);
  });

  test("A12 tokens of a deleted account are refused", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await target.post(accounts, { metadata: { name: "leaving" } });
    const { token } = (await target.post(`${accounts}/leaving/token`, { spec: {} })).body.status;
    expect((await ask(token)).status).toBe(201);
    await target.request(`${accounts}/leaving`, { method: "DELETE" });
    await expect.poll(async () => (await ask(token)).status).toBe(401);
    await target.post(accounts, { metadata: { name: "leaving" } });
    expect((await ask(token)).status).toBe(401);
  });

  /** The last character of the signature carries bits that decoding drops. */
  function alike(token: string): string {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(token.at(-1) ?? "");
    return token.slice(0, -1) + alphabet[last ^ 1];
  }
});

describe("N03 inherited properties as tokens and users", () => {
  for (const name of [
    "constructor",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "__proto__",
    "null",
    "undefined",
    "[object Object]",
  ]) {
    test(`N03 inherited properties: the token ${name} is refused`, async () => {
      expect((await ask(name)).status).toBe(401);
      const as = await whoAmI(target, { headers: { "impersonate-user": name, "impersonate-group": name } });
      expect([as.username, as.groups]).toEqual([name, [name, "system:authenticated"]]);
      const headers = { "impersonate-user": name, "impersonate-group": name };
      expect((await target.request("/api/v1/namespaces/default/secrets", { headers })).status).toBe(403);
    });
  }

  test("N03 inherited properties: odd schemes and spaces are not tokens", async () => {
    const odd = [
      "Bearer",
      "Bearer ",
      "bearer",
      `Basic ${Buffer.from("admin:admin").toString("base64")}`,
      `Token ${adminToken}`,
      adminToken,
      `Bearer\t${adminToken}`,
      `Bearer  ${adminToken}`,
      "Bearer ,",
      `Negotiate ${adminToken}`,
    ];
    for (const authorization of odd) {
      const { status } = await target.request("/api/v1/namespaces/default/secrets", {
        token: "",
        headers: { authorization },
      });
      expect([authorization, status === 401 || status === 403]).toEqual([authorization, true]);
    }
    for (const token of [
      `${adminToken} `,
      `${adminToken}x`,
      adminToken.slice(0, -1),
      adminToken.toUpperCase(),
      "x".repeat(30_000),
    ]) {
      const { status } = await target.request("/api/v1/namespaces/default/secrets", { token });
      expect([token.slice(0, 40), token === `${adminToken} ` ? 200 : 401]).toEqual([token.slice(0, 40), status]);
    }
  });
});

describe("A10 guesses of bootstrap tokens", () => {
  test("A10 guesses: after a few wrong secrets from one address its attempts are limited", async () => {
    const secret = {
      metadata: { name: "bootstrap-token-abcdef" },
      type: "bootstrap.orch.io/token",
      stringData: {
        "token-id": "abcdef",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
      },
    };
    expect((await target.post("/api/v1/namespaces/orch-system/secrets", secret)).status).toBe(201);
    const statuses = new Set<number>();
    for (let at = 0; at < 40; at++) statuses.add((await ask(`abcdef.${String(at).padStart(16, "x")}`)).status);
    for (const status of statuses) expect([401, 429]).toContain(status);
    expect((await ask(aliceToken)).username).toBe("alice");
  });
});
