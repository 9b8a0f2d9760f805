/** Audit events say how each user was authenticated, by every way in, and never contain what authenticated them. */

import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../../src/base/certificate.suite.ts";
import { accessFlags, certificate, presenting, proxyCa } from "./access.ts";
import { aliceToken, type RequestOptions, useTarget } from "./target.ts";

const webhookToken = "token-that-a-service-knows";
const bootstrapSecret = "0123456789abcdef";
let folder = "";
let service: Server;

/** A service that knows one token. */
async function openService(): Promise<string> {
  const { pem, privateKey } = makeCertificate({ subject: [["2.5.4.3", "tokens"]] });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  service = createServer({ cert: pem, key }, (request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += String(chunk);
    });
    request.on("end", () => {
      const { apiVersion, kind, spec } = JSON.parse(text) as {
        apiVersion: string;
        kind: string;
        spec: { token: string };
      };
      const authenticated = spec.token === webhookToken;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion, kind, status: { authenticated, user: { username: "wendy" } } }));
    });
  });
  await new Promise<void>((done) => service.listen(0, "127.0.0.1", done));
  const address = service.address();
  return `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
}

const target = useTarget({
  async flags(given) {
    folder = given;
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const policy = "apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n";
    const client = {
      clusters: [{ name: "service", cluster: { server: await openService(), "insecure-skip-tls-verify": true } }],
      users: [{ name: "server", user: {} }],
      contexts: [{ name: "one", context: { cluster: "service", user: "server" } }],
      "current-context": "one",
    };
    return [
      ...(await accessFlags(folder)),
      `--audit-policy-file=${await file("policy.yaml", policy)}`,
      `--audit-log-path=${join(folder, "audit.log")}`,
      "--audit-credentials",
      `--authentication-token-webhook-config-file=${await file("webhook.json", JSON.stringify(client))}`,
    ];
  },
});
afterAll(() => new Promise((done) => service.close(done)));

describe("A04 an audit event names the authenticator and the credential", () => {
  let account = "";
  beforeAll(async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await target.post(accounts, { metadata: { name: "robot" } });
    account = (await target.post(`${accounts}/robot/token`, { spec: {} })).body.status.token;
    await target.post("/api/v1/namespaces/orch-system/secrets", {
      metadata: { name: "bootstrap-token-abcdef" },
      type: "bootstrap.orch.io/token",
      stringData: {
        "token-id": "abcdef",
        "token-secret": bootstrapSecret,
        "usage-bootstrap-authentication": "true",
      },
    });
  });

  const clientCertificate = certificate({ subject: [["2.5.4.3", "carol"]], serial: 0x2a });
  const proxyCertificate = certificate({ subject: [["2.5.4.3", "front-proxy"]], issuer: proxyCa, serial: 0x2b });
  const cases: readonly {
    readonly by: string;
    readonly user: string;
    readonly id: RegExp | undefined;
    readonly ask: () => RequestOptions;
  }[] = [
    {
      by: "x509",
      user: "carol",
      id: /^X509 serial 2A$/,
      ask: () => ({ token: "", tls: presenting(clientCertificate) }),
    },
    {
      by: "front-proxy",
      user: "fred",
      id: /^X509 serial 2B$/,
      ask: () => ({ token: "", tls: presenting(proxyCertificate), headers: { "x-remote-user": "fred" } }),
    },
    {
      by: "serviceaccount",
      user: "system:serviceaccount:default:robot",
      id: /^token [0-9a-f]{16}$/,
      ask: () => ({ token: account }),
    },
    {
      by: "bootstrap",
      user: "system:bootstrap:abcdef",
      id: /^bootstrap abcdef$/,
      ask: () => ({ token: `abcdef.${bootstrapSecret}` }),
    },
    { by: "webhook", user: "wendy", id: undefined, ask: () => ({ token: webhookToken }) },
    { by: "static-token", user: "alice", id: undefined, ask: () => ({ token: aliceToken }) },
    { by: "anonymous", user: "system:anonymous", id: undefined, ask: () => ({ token: "" }) },
  ];

  interface Event {
    readonly requestURI: string;
    readonly stage: string;
    readonly user: { readonly username: string };
    readonly annotations?: Readonly<Record<string, string>>;
  }
  const lines = () => readFileSync(join(folder, "audit.log"), "utf8");
  const eventsOf = (path: string) =>
    lines()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Event)
      .filter(({ requestURI }) => requestURI === path);

  test.each(cases)("A04 of $by", async ({ by, user, id, ask }) => {
    const path = `/api/v1/namespaces/default/pods?labelSelector=by%3D${by}`;
    await target.request(path, ask());
    await expect.poll(() => eventsOf(path).map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseComplete"]);
    for (const event of eventsOf(path)) {
      expect(event.user.username).toBe(user);
      expect(event.annotations?.["authentication.orch.io/authenticator"]).toBe(by);
      const shown = event.annotations?.["authentication.orch.io/credential-id"];
      if (id === undefined) expect(shown).toBeUndefined();
      else expect(shown).toMatch(id);
    }
  });

  test("A04 no credential is in the log", () => {
    const secrets = [webhookToken, bootstrapSecret, aliceToken, account, account.split(".")[2] ?? ""];
    for (const secret of secrets) expect(lines()).not.toContain(secret);
  });
});
