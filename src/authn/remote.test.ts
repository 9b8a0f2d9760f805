import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { exportJWK, SignJWT } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { createCallout } from "../base/callout.ts";
import { makeCertificate, serverAuth } from "../base/certificate.suite.ts";
import { createManualClock } from "../base/clock.ts";
import { writeDer, writeExtension } from "../base/der-write.ts";
import { CallError, httpsCall } from "../base/https-call.ts";
import { silentLog } from "../base/log.ts";
import { parseEndpoint } from "../machinery/client-file/endpoint.ts";
import { orch } from "../vocabulary/orch.ts";
import { accepted, credentials } from "./credentials.suite.ts";
import { createOidc } from "./oidc.ts";
import { createOidcProvider, keysAgeMsMin } from "./oidc-provider.ts";
import { createWebhookToken } from "./webhook-token.ts";
import { createWebsocketToken } from "./websocket-token.ts";

const root = makeCertificate({ subject: [["2.5.4.3", "root"]], authority: true });
const serving = makeCertificate({
  subject: [["2.5.4.3", "localhost"]],
  issuer: root,
  usages: [serverAuth],
  moreExtensions: [writeExtension("2.5.29.17", writeDer(0x30, writeDer(0x82, Buffer.from("localhost"))))],
});

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function serve(handle: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const key = serving.privateKey.export({ type: "pkcs8", format: "pem" });
  const server = createServer({ key, cert: serving.pem }, (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => handle(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}
const answer = (response: ServerResponse, value: unknown) => response.end(JSON.stringify(value));
const tls = { ca: root.pem };

describe("calls to other services", () => {
  const call = (url: string, more: object = {}) =>
    httpsCall({ url, method: "GET", tls, timeoutMs: 5_000, answerBytesMax: 1_000, ...more });

  test("a redirect is an answer, never followed (C06 in docs/security-rows.md)", async () => {
    let visits = 0;
    const url = await serve((_request, response) => {
      visits++;
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect((await call(url)).status).toBe(302);
    expect(visits).toBe(1);
  });

  test("an answer that is too large or does not arrive is an error", async () => {
    const large = await serve((_request, response) => response.end("x".repeat(5_000)));
    await expect(call(large)).rejects.toMatchObject({ code: "TOO_LARGE" });
    const silent = await serve(() => {});
    await expect(call(silent, { timeoutMs: 100 })).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("a certificate of another authority is not accepted", async () => {
    const url = await serve((_request, response) => response.end("{}"));
    const other = makeCertificate({ subject: [["2.5.4.3", "root"]], authority: true });
    await expect(call(url, { tls: { ca: other.pem } })).rejects.toBeInstanceOf(CallError);
  });

  test("the endpoint is read from a client configuration", () => {
    const configuration = {
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
      clusters: [{ name: "k", cluster: { server: "https://x/y", "certificate-authority": "ca.pem" } }],
      users: [{ name: "u", user: { token: "t" } }],
    };
    expect(parseEndpoint(configuration, (path) => `<${path}>`)).toEqual({
      url: "https://x/y",
      tls: { ca: "<ca.pem>" },
      headers: { authorization: "Bearer t" },
    });
    expect(() => parseEndpoint({ ...configuration, "current-context": "none" }, () => "")).toThrow(
      '"none" in contexts',
    );
    const halfCertificate = { ...configuration, users: [{ name: "u", user: { "client-key": "k" } }] };
    expect(() => parseEndpoint(halfCertificate, () => "")).toThrow("needs its key");
  });
});

describe("the token webhook", () => {
  const setup = async (
    review: (spec: { token: string; audiences?: string[] }) => unknown,
    version: "v1" | "v1beta1" = "v1",
  ) => {
    const seen: unknown[] = [];
    const url = await serve((_request, response, body) => {
      const asked = JSON.parse(body);
      seen.push(asked);
      answer(response, { kind: "TokenReview", apiVersion: asked.apiVersion, status: review(asked.spec) });
    });
    const clock = createManualClock(0);
    const webhook = createWebhookToken({
      callout: createCallout({ url, tls, headers: {} }),
      version,
      cacheTtlMs: 120_000,
      audiences: ["api"],
      vocabulary: orch,
      clock,
      log: silentLog,
    });
    return { webhook, seen, clock };
  };
  const ann = { username: "ann", uid: "1", groups: ["dev", 7], extra: { __proto__: null, scope: ["a"] } };

  test("is called in the configured version, and its answer is used", async () => {
    const { webhook, seen } = await setup(() => ({ authenticated: true, user: ann }), "v1beta1");
    expect(accepted(await webhook.authenticateToken("t", ["api"]))).toEqual({
      user: { name: "ann", uid: "1", groups: ["dev"], extra: new Map([["scope", ["a"]]]) },
      by: "webhook",
      audiences: ["api"],
    });
    expect(seen).toEqual([
      {
        apiVersion: "authentication.orch.io/v1beta1",
        kind: "TokenReview",
        spec: { token: "t", audiences: ["api"] },
      },
    ]);
  });

  test("one token causes one call while the answer is valid, whatever the number of requests (N33)", async () => {
    const { webhook, seen, clock } = await setup(({ token }) => ({ authenticated: token === "good", user: ann }));
    await Promise.all(Array.from({ length: 20 }, () => webhook.authenticateToken("good")));
    accepted(await webhook.authenticateToken("good"));
    expect(await webhook.authenticateToken("bad")).toBe("rejected");
    expect(await webhook.authenticateToken("bad")).toBe("rejected");
    expect(seen).toHaveLength(2);
    clock.advance(10_001);
    expect(await webhook.authenticateToken("bad")).toBe("rejected");
    accepted(await webhook.authenticateToken("good"));
    expect(seen).toHaveLength(3);
  });

  test("an answer for other audiences is refused", async () => {
    const { webhook } = await setup(() => ({ authenticated: true, user: ann, audiences: ["vault"] }));
    expect(await webhook.authenticateToken("t", ["api"])).toBe("rejected");
  });

  test("a failure of the service is a refusal that is not cached, and the token is not logged (C30)", async () => {
    const logged: unknown[] = [];
    let calls = 0;
    const webhook = createWebhookToken({
      callout: async () => {
        calls++;
        throw new Error("down");
      },
      version: "v1",
      cacheTtlMs: 1_000,
      audiences: [],
      vocabulary: orch,
      clock: createManualClock(0),
      log: { ...silentLog, warn: (...parts) => logged.push(parts) },
    });
    expect(await webhook.authenticateToken("canary")).toBe("rejected");
    expect(await webhook.authenticateToken("canary")).toBe("rejected");
    expect(calls).toBe(2);
    expect(JSON.stringify(logged)).toContain("down");
    expect(JSON.stringify(logged)).not.toContain("canary");
  });
});

describe("OpenID Connect", () => {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const setup = async (more: object = {}) => {
    const state = { kid: "k1", fetches: 0, issuer: "" };
    const url = await serve(async (request, response) => {
      if (request.url === "/.well-known/openid-configuration") {
        state.fetches++;
        answer(response, { issuer: state.issuer, jwks_uri: `${state.issuer}/keys` });
      } else
        answer(response, {
          keys: [{ ...(await exportJWK(keys.publicKey)), kid: state.kid, alg: "RS256", use: "sig" }],
        });
    });
    state.issuer = url;
    const clock = createManualClock(Date.parse("2026-06-01T00:00:00Z"));
    const provider = createOidcProvider({ issuer: url, ca: root.pem, algorithms: ["RS256"], clock });
    const oidc = createOidc({
      provider,
      clientId: "orch",
      usernameClaim: "sub",
      usernamePrefix: "",
      groupsClaim: "groups",
      groupsPrefix: "oidc:",
      requiredClaims: new Map(),
      clock,
      log: silentLog,
      ...more,
    });
    const sign = (claims: object, kid = "k1", alg = "RS256") =>
      new SignJWT({ iss: url, aud: "orch", sub: "ann", exp: clock.now() / 1000 + 600, ...claims })
        .setProtectedHeader({ alg, kid })
        .sign(keys.privateKey);
    return { state, clock, oidc, sign, url };
  };

  test("the claims name user and groups, with the issuer before the user", async () => {
    const { oidc, sign, url } = await setup();
    expect(accepted(await oidc.authenticateToken(await sign({ groups: ["a", "b"] })))).toEqual({
      user: { name: `${url}#ann`, uid: "", groups: ["oidc:a", "oidc:b"], extra: new Map() },
      by: "oidc",
    });
    expect(accepted(await oidc.authenticateToken(await sign({ groups: "one" }))).user.groups).toEqual(["oidc:one"]);
  });

  test("an email must be verified if the provider has that claim, and has no prefix", async () => {
    const { oidc, sign } = await setup({ usernameClaim: "email" });
    expect(accepted(await oidc.authenticateToken(await sign({ email: "a@b", email_verified: true }))).user.name).toBe(
      "a@b",
    );
    expect(await oidc.authenticateToken(await sign({ email: "a@b", email_verified: false }))).toBe("rejected");
  });

  test("wrong audience, time, issuer, algorithm, claim or signature is refused", async () => {
    const { oidc, sign, clock } = await setup({ requiredClaims: new Map([["hd", "example"]]) });
    const hd = { hd: "example" };
    accepted(await oidc.authenticateToken(await sign(hd)));
    const now = clock.now() / 1000;
    for (const claims of [
      {},
      { ...hd, aud: "x" },
      { ...hd, exp: now - 600 },
      { ...hd, iss: "https://x" },
      { ...hd, sub: 7 },
      { ...hd, groups: [7] },
    ]) {
      expect(await oidc.authenticateToken(await sign(claims)), JSON.stringify(claims)).toBe("rejected");
    }
    expect(await oidc.authenticateToken(await sign(hd, "k1", "RS512"))).toBe("rejected");
    expect(await oidc.authenticateToken(`${(await sign(hd)).slice(0, -6)}AAAAAA`)).toBe("rejected");
  });

  test("keys are fetched again when the provider rotates them, at a limited rate", async () => {
    const { oidc, sign, state, clock } = await setup();
    accepted(await oidc.authenticateToken(await sign({ n: 1 })));
    state.kid = "k2";
    expect(await oidc.authenticateToken(await sign({ n: 2 }, "k2"))).toBe("rejected");
    expect(state.fetches).toBe(1);
    clock.advance(keysAgeMsMin);
    accepted(await oidc.authenticateToken(await sign({ n: 3 }, "k2")));
    expect(state.fetches).toBe(2);
  });

  test("a document of another issuer is refused", async () => {
    const { oidc, sign, state } = await setup();
    const token = await sign({});
    state.issuer = "https://evil";
    expect(await oidc.authenticateToken(token)).toBe("rejected");
  });

  test("an issuer that is not https, or an algorithm with a shared secret, stops the start", () => {
    const clock = createManualClock(0);
    expect(() => createOidcProvider({ issuer: "http://x", algorithms: ["RS256"], clock })).toThrow("https");
    expect(() => createOidcProvider({ issuer: "https://x", algorithms: ["HS256"], clock })).toThrow("HS256");
  });
});

describe("tokens in WebSocket protocols", () => {
  const tokens = {
    name: "t",
    authenticateToken: (token: string) =>
      token === "good"
        ? { user: { name: "ann", uid: "", groups: [], extra: new Map() }, by: "t" }
        : ("rejected" as const),
  };
  const authenticator = createWebsocketToken({ tokens, audiences: [], vocabulary: orch });
  const carry = (token: string) => `base64url.bearer.authorization.orch.io.${Buffer.from(token).toString("base64url")}`;
  const ask = async (protocols: string | string[], upgrade = "websocket") =>
    await authenticator.authenticate(credentials({ headers: { upgrade, "sec-websocket-protocol": protocols } }));

  test("a token beside another protocol is accepted", async () => {
    expect(accepted(await ask(`${carry("good")}, v4.channel`)).user.name).toBe("ann");
    expect(accepted(await ask([carry("good"), "v4.channel"])).user.name).toBe("ann");
  });
  test("a wrong token is rejected, and an absent one is not a credential", async () => {
    expect(await ask(`${carry("bad")}, x`)).toBe("rejected");
    expect(await ask(carry("good"))).toBe("rejected");
    expect(await ask(`${carry("good")}, ${carry("good")}`)).toBe("rejected");
    expect(await ask("base64url.bearer.authorization.orch.io.!!, x")).toBe("rejected");
    expect(await ask("v4.channel")).toBeUndefined();
    expect(await ask(`${carry("good")}, x`, "h2c")).toBeUndefined();
  });
});
