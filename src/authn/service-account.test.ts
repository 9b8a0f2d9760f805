import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { orch } from "../vocabulary/orch.ts";
import { accepted } from "./credentials.suite.ts";
import { peekToken, tokenCharsMax, verifyToken } from "./jwt.ts";
import { discoveryDocuments } from "./openid-discovery.ts";
import { createServiceAccount, type ServiceAccountOptions } from "./service-account.ts";
import { parseSigningKey, parseVerificationKeys } from "./signing-keys.ts";
import { createTokenSigner } from "./token-signer.ts";

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = (
  key: { export(o: { type: "spki"; format: "pem" } | { type: "pkcs8"; format: "pem" }): string | Buffer },
  type: "spki" | "pkcs8",
) => String(key.export(type === "spki" ? { type, format: "pem" } : { type, format: "pem" }));
const issuer = "https://orch.default.svc";
const keys = [
  ...parseVerificationKeys(pem(rsa.publicKey, "spki")),
  ...parseVerificationKeys(pem(ec.publicKey, "spki")),
];

function setup(more: Partial<ServiceAccountOptions> = {}) {
  const clock = createManualClock(Date.parse("2026-06-01T00:00:00Z"));
  const objects = new Map<string, ApiObject>();
  const put = (kind: string, name: string, uid: string, rest: object = {}) =>
    objects.set(`${kind}/ns/${name}`, { metadata: { name, namespace: "ns", uid }, ...rest });
  const look = (kind: string) => (namespace: string, name: string) => objects.get(`${kind}/${namespace}/${name}`);
  put("account", "sa", "u1");
  put("pod", "p", "p1");
  put("secret", "s", "s1");
  const authenticator = createServiceAccount({
    issuers: [issuer],
    keys: () => keys,
    audiences: [issuer],
    lookup: {
      account: look("account"),
      pod: look("pod"),
      secret: look("secret"),
      node: (name) => look("node")("ns", name),
    },
    lookupLegacy: true,
    vocabulary: orch,
    clock,
    ...more,
  });
  const signer = createTokenSigner({
    issuer,
    key: () => parseSigningKey(pem(ec.privateKey, "pkcs8")),
    vocabulary: orch,
    clock,
  });
  const sign = async (bound: { pod?: boolean; secret?: boolean } = {}, audiences = [issuer], seconds = 3600) =>
    (
      await signer.sign(
        {
          namespace: "ns",
          account: { name: "sa", uid: "u1" },
          pod: bound.pod ? { name: "p", uid: "p1" } : undefined,
          secret: bound.secret ? { name: "s", uid: "s1" } : undefined,
        },
        audiences,
        seconds,
      )
    ).token;
  const ask = async (token: string, audiences?: string[]) => await authenticator.authenticateToken(token, audiences);
  return { clock, objects, put, signer, sign, ask };
}

describe("service-account tokens", () => {
  test("a token authenticates its account, with the groups of all accounts and of its namespace", async () => {
    const { sign, ask } = setup();
    expect(accepted(await ask(await sign()))).toEqual({
      user: {
        name: "system:serviceaccount:ns:sa",
        uid: "u1",
        groups: ["system:serviceaccounts", "system:serviceaccounts:ns"],
        extra: new Map(),
      },
      by: "serviceaccount",
      audiences: [issuer],
      credentialId: expect.stringMatching(/^token [0-9a-f]{16}$/),
    });
  });

  test("a token bound to a pod names the pod", async () => {
    const { sign, ask } = setup();
    expect(accepted(await ask(await sign({ pod: true }))).user.extra).toEqual(
      new Map([
        ["authentication.orch.io/pod-name", ["p"]],
        ["authentication.orch.io/pod-uid", ["p1"]],
      ]),
    );
  });

  test("a token bound to a node ends with it; that of a pod only names the node", async () => {
    const credentialIdKey = "authentication.orch.io/credential-id";
    const { ask, objects, put, clock } = setup({ credentialIdKey });
    const key = parseSigningKey(pem(ec.privateKey, "pkcs8"));
    const signer = createTokenSigner({ issuer, key: () => key, vocabulary: orch, clock, newId: () => "id-1" });
    put("node", "n", "n1");
    const bound = { namespace: "ns", account: { name: "sa", uid: "u1" }, node: { name: "n", uid: "n1" } };
    const ofNode = (await signer.sign(bound, [issuer], 600)).token;
    const ofPod = (await signer.sign({ ...bound, pod: { name: "p", uid: "p1" } }, [issuer], 600)).token;
    const extra = new Map([
      [credentialIdKey, ["JTI=id-1"]],
      ["authentication.orch.io/node-name", ["n"]],
      ["authentication.orch.io/node-uid", ["n1"]],
    ]);
    expect(accepted(await ask(ofNode)).user.extra).toEqual(extra);
    objects.delete("node/ns/n");
    expect(await ask(ofNode)).toBe("rejected");
    expect([...accepted(await ask(ofPod)).user.extra]).toEqual(expect.arrayContaining([...extra]));
  });

  for (const [kind, name, uid] of [
    ["account", "sa", "u1"],
    ["pod", "p", "p1"],
    ["secret", "s", "s1"],
  ] as const) {
    test(`a token ends with its ${kind}, and another of the same name does not revive it (A12 in docs/security-rows.md)`, async () => {
      const { sign, ask, objects, put } = setup();
      const token = await sign({ pod: true, secret: true });
      accepted(await ask(token));
      objects.delete(`${kind}/ns/${name}`);
      expect(await ask(token)).toBe("rejected");
      put(kind, name, "another");
      expect(await ask(token)).toBe("rejected");
      put(kind, name, uid);
      accepted(await ask(token));
    });
  }

  test("the tokens of a terminating object stay valid for a minute", async () => {
    const { sign, ask, objects, clock } = setup();
    const token = await sign();
    const account = objects.get("account/ns/sa")!;
    objects.set("account/ns/sa", { metadata: { ...account.metadata, deletionTimestamp: "2026-06-01T00:00:00Z" } });
    accepted(await ask(token));
    clock.advance(61_000);
    expect(await ask(token)).toBe("rejected");
  });

  test("a token that is expired, of another audience or wrongly signed is refused, each time (C33)", async () => {
    const { sign, ask, clock } = setup();
    const token = await sign();
    const tampered = `${token.slice(0, -8)}${token.slice(-8) === "AAAAAAAA" ? "BBBBBBBB" : "AAAAAAAA"}`;
    for (let i = 0; i < 2; i++) {
      expect(await ask(tampered)).toBe("rejected");
      expect(await ask(token, ["elsewhere"])).toBe("rejected");
      expect(await ask(await sign({}, ["vault"]))).toBe("rejected");
    }
    accepted(await ask(token));
    clock.advance(3600_000 + 61_000);
    expect(await ask(token)).toBe("rejected");
    expect(await ask(tampered)).toBe("rejected");
  });

  test("the result lists the requested audiences that the token has", async () => {
    const { sign, ask } = setup();
    const token = await sign({}, ["vault", issuer]);
    expect(accepted(await ask(token)).audiences).toEqual([issuer]);
    expect(accepted(await ask(token, ["x", issuer, "vault"])).audiences).toEqual(["vault", issuer]);
  });

  test("a token of another issuer is not ours", async () => {
    const { sign, ask } = setup({ issuers: ["https://other"] });
    expect(await ask(await sign())).toBe("rejected");
  });

  test("tokens kept in Secrets are valid while the Secret contains them", async () => {
    const { signer, ask, put, objects } = setup();
    const token = await signer.signLegacy({ namespace: "ns", account: { name: "sa", uid: "u1" }, secretName: "s" });
    expect(await ask(token)).toBe("rejected");
    put("secret", "s", "s1", { data: { token: Buffer.from(token).toString("base64") } });
    expect(accepted(await ask(token)).user.name).toBe("system:serviceaccount:ns:sa");
    put("secret", "s", "s1", { data: { token: Buffer.from(`${token}x`).toString("base64") } });
    expect(await ask(token)).toBe("rejected");
    objects.delete("secret/ns/s");
    expect(await ask(token)).toBe("rejected");
  });

  test("without lookup a kept token is valid by its signature alone", async () => {
    const { signer, ask, objects } = setup({ lookupLegacy: false });
    objects.clear();
    const token = await signer.signLegacy({ namespace: "ns", account: { name: "sa", uid: "u1" }, secretName: "s" });
    expect(accepted(await ask(token)).user.name).toBe("system:serviceaccount:ns:sa");
  });

  test("claims have the names of the vocabulary", async () => {
    const clock = createManualClock(0);
    const key = parseSigningKey(pem(rsa.privateKey, "pkcs8"));
    const signer = createTokenSigner({ issuer: "i", key: () => key, vocabulary: kubernetes, clock });
    const account = { name: "sa", uid: "u" };
    const { token } = await signer.sign({ namespace: "n", account, pod: undefined, secret: undefined }, ["a"], 600);
    expect(peekToken(token)).toEqual({
      header: { alg: "RS256", kid: key.id },
      claims: {
        aud: ["a"],
        exp: 600,
        iat: 0,
        iss: "i",
        "kubernetes.io": { namespace: "n", serviceaccount: account },
        nbf: 0,
        sub: "system:serviceaccount:n:sa",
      },
    });
    const legacy = await signer.signLegacy({ namespace: "n", account, secretName: "s" });
    expect(peekToken(legacy)?.claims).toMatchObject({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/service-account.uid": "u",
    });
  });
});

describe("hostile tokens (N26)", () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: issuer,
    sub: "system:serviceaccount:ns:sa",
    "orch.io": { namespace: "ns", serviceaccount: { name: "sa", uid: "u1" } },
  };
  const cases: { why: string; token: () => string }[] = [
    { why: "alg none", token: () => `${encode({ alg: "none" })}.${encode(claims)}.${encode({})}` },
    { why: "alg None", token: () => `${encode({ alg: "None" })}.${encode(claims)}.AAAA` },
    {
      why: "HS256 signed with the public key",
      token: () => {
        const data = `${encode({ alg: "HS256", kid: keys[0]!.id })}.${encode(claims)}`;
        return `${data}.${createHmac("sha256", pem(rsa.publicKey, "spki")).update(data).digest("base64url")}`;
      },
    },
    {
      why: "an algorithm of another key type",
      token: () => `${encode({ alg: "ES256", kid: keys[0]!.id })}.${encode(claims)}.AAAA`,
    },
    {
      why: "an embedded key",
      token: () => `${encode({ alg: "ES256", jwk: ec.publicKey.export({ format: "jwk" }) })}.${encode(claims)}.AAAA`,
    },
    {
      why: "a key by URL",
      token: () =>
        `${encode({ alg: "RS256", jku: "https://evil", x5u: "https://evil", kid: "../../x" })}.${encode(claims)}.AAAA`,
    },
    {
      why: "critical extensions",
      token: () => `${encode({ alg: "RS256", crit: ["x"], x: 1 })}.${encode(claims)}.AAAA`,
    },
    {
      why: "one megabyte",
      token: () => `${encode({ alg: "RS256" })}.${randomBytes(750_000).toString("base64url")}.AAAA`,
    },
    { why: "padding", token: () => `${encode({ alg: "RS256" })}=.${encode(claims)}.AAAA` },
    { why: "not JSON", token: () => "a.b.c" },
    { why: "an array", token: () => `${encode([])}.${encode([])}.AAAA` },
    { why: "names that objects inherit", token: () => "constructor" },
  ];
  for (const { why, token } of cases) {
    test(`${why} is refused`, async () => {
      const { ask } = setup();
      expect(await ask(token())).toBe("rejected");
      expect(await verifyToken(token(), keys)).toBeUndefined();
    });
  }

  test("a token has one spelling: bits that decoding drops are refused", async () => {
    const { sign, ask } = setup();
    const token = await sign();
    const last = token.at(-1)!;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const twin = token.slice(0, -1) + alphabet[alphabet.indexOf(last) ^ 1];
    accepted(await ask(token));
    expect(await ask(twin)).toBe("rejected");
  });

  test("times that are not numbers are refused, and long tokens are not read", async () => {
    const { clock, ask } = setup();
    const key = parseSigningKey(pem(ec.privateKey, "pkcs8"));
    const { SignJWT } = await import("jose");
    const odd = (more: object) =>
      new SignJWT({ ...claims, aud: [issuer], ...more }).setProtectedHeader({ alg: "ES256" }).sign(key.key);
    const now = clock.now() / 1000;
    accepted(await ask(await odd({ exp: now + 600 })));
    for (const more of [{ nbf: now + 600 }, { iat: now + 600 }, { exp: now - 600 }, { aud: { a: 1 } }, { aud: [1] }]) {
      expect(await ask(await odd(more)), JSON.stringify(more)).toBe("rejected");
    }
    expect(peekToken(`${"a".repeat(tokenCharsMax)}.b.c`)).toBeUndefined();
  });
});

describe("key discovery", () => {
  const documents = discoveryDocuments({ issuer, url: () => "https://h:1", keys: () => keys })!;
  test("the documents name issuer, algorithms and keys", () => {
    const [configuration, keySet] = documents.map(({ body }) => JSON.parse(body()));
    expect(configuration).toEqual({
      issuer,
      jwks_uri: "https://h:1/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
    expect(keySet.keys.map((key: Record<string, string>) => [key.kty, key.kid, key.alg, key.use])).toEqual([
      ["RSA", keys[0]!.id, "RS256", "sig"],
      ["EC", keys[1]!.id, "ES256", "sig"],
    ]);
    expect(JSON.stringify(keySet)).not.toMatch(/"d"|"p"|"q"/);
  });
  test("an issuer that is not an https URL has no discovery", () => {
    expect(discoveryDocuments({ issuer: "local", url: () => "https://h", keys: () => keys })).toBeUndefined();
  });
});

describe("signing keys", () => {
  test("public keys, private keys and certificates are read, parameters skipped", () => {
    const params = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    const text = params + pem(ec.privateKey, "pkcs8") + pem(rsa.publicKey, "spki");
    expect(parseVerificationKeys(text).map(({ algorithm }) => algorithm)).toEqual(["ES256", "RS256"]);
    expect(() => parseVerificationKeys("nothing")).toThrow("no RSA or EC key");
    const ed = generateKeyPairSync("ed25519");
    expect(() => parseVerificationKeys(pem(ed.publicKey, "spki"))).toThrow("cannot sign tokens");
  });
});
