import { createPublicKey } from "node:crypto";
import { Agent } from "node:https";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type Authority,
  type CertificateSpec,
  clientAuth,
  makeCertificate,
  newKeys,
  serverAuth,
} from "./certificate.suite.ts";
import { isServerOfBundle, rsaBitsMin } from "./certificate-chain.ts";
import { createManualClock } from "./clock.ts";
import { writeDer, writeExtension } from "./der-write.ts";
import { type HookServer, hookNames, openHookServer } from "./hook-server.suite.ts";
import { httpsCall, type TlsIdentity } from "./https-call.ts";
import { type TrustingAgent, trusting } from "./trusting-agent.ts";
import { createWebhookCaller } from "./webhook-caller.ts";
import { keyUsageExtension } from "./write-certificate.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** The same subject for authorities and leaves, as libraries of operators write them: no key identifiers. */
const subject: CertificateSpec["subject"] = [
  ["2.5.4.10", "knative.dev"],
  ["2.5.4.3", "webhook.shop.svc"],
];
const authority = (spec: Partial<CertificateSpec> = {}) => makeCertificate({ subject, authority: true, ...spec });
const root = authority();
const leaf = (spec: Partial<CertificateSpec> = {}) =>
  makeCertificate({ subject, issuer: root, usages: [serverAuth], moreExtensions: [hookNames], ...spec });
const past = new Date("2021-01-01T00:00:00Z");
const future = new Date("2039-01-01T00:00:00Z");

async function serve(...certificate: Authority[]): Promise<HookServer> {
  const server = await openHookServer((_request, response) => response.end("{}"), certificate);
  open.push(server);
  return server;
}

interface Attempt {
  readonly host?: string;
  readonly tls?: TlsIdentity;
  readonly agent?: TrustingAgent;
}

/** "called", or the code of the error; then nothing of the request has reached the server. */
async function attempt(server: HookServer, bundle: string, { host = "127.0.0.1", tls, agent }: Attempt = {}) {
  const before = server.calls.length;
  try {
    await httpsCall({
      url: `https://${host}:${server.port}/`,
      dial: { host: "127.0.0.1", port: server.port },
      method: "POST",
      body: "secret",
      tls: { ca: bundle, ...tls },
      timeoutMs: 30_000,
      answerBytesMax: 1_000,
      ...(agent === undefined ? {} : { agent }),
    });
    return "called";
  } catch (error) {
    expect(server.calls).toHaveLength(before);
    const { cause } = error as Error; // a CallError
    return (cause as NodeJS.ErrnoException).code;
  }
}

describe("a certificate whose subject is also that of its authority", () => {
  test("is accepted by address and by name", async () => {
    const server = await serve(leaf());
    for (const host of ["127.0.0.1", "hook.shop.svc"]) expect(await attempt(server, root.pem, { host })).toBe("called");
  });

  test("is accepted with a bundle of several authorities, of which some have the same name", async () => {
    const server = await serve(leaf());
    const other = makeCertificate({ subject: [["2.5.4.3", "other"]], authority: true });
    const bundle = [other, authority(), root, authority()].map(({ pem }) => pem).join("some words\n");
    expect(await attempt(server, bundle)).toBe("called");
  });

  test("is accepted when the server sends its authority too, and when the bundle is the certificate itself", async () => {
    const own = leaf();
    expect(await attempt(await serve(own, root), root.pem)).toBe("called");
    expect(await attempt(await serve(own), own.pem)).toBe("called");
  });

  test("is accepted without usages, and with key usages that a server needs", async () => {
    for (const more of [{ usages: undefined }, { moreExtensions: [hookNames, keyUsageExtension(0xa000)] }])
      expect(await attempt(await serve(leaf(more)), root.pem)).toBe("called");
  });

  test("is checked at each connection, and connections are kept for the same bundle only", async () => {
    const server = await serve(leaf());
    const agent = trusting(new Agent({ keepAlive: true }));
    open.push({ close: () => agent.destroy() });
    for (const _ of [1, 2]) expect(await attempt(server, root.pem, { agent })).toBe("called");
    expect(server.connections()).toBe(1);
    expect(await attempt(server, authority().pem, { agent })).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect(await attempt(server, root.pem, { agent, host: "other.shop.svc" })).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await attempt(server, root.pem, { agent })).toBe("called");
  });

  test("can be that of a webhook, whose connections stay open", async () => {
    const server = await serve(leaf());
    const caller = createWebhookCaller({
      findService: () => ({ host: "127.0.0.1", port: server.port }),
      allows: () => true,
    });
    open.push(caller);
    const service = { namespace: "shop", name: "hook" };
    for (const _ of [1, 2]) await caller.post({ service, authority: root.pem }, "{}", { timeoutMs: 30_000 });
    expect(server.connections()).toBe(1);
  });
});

const nameConstraints = writeExtension("2.5.29.30", writeDer(0x30, writeDer(0xa0, writeDer(0x30, writeDer(0x82)))));
const otherRoot = authority();
const top = authority({ subject: [["2.5.4.3", "top"]] });
const intermediate = authority({ issuer: top });
const refused: [why: string, certificate: readonly Authority[], bundle: string, attempt?: Attempt][] = [
  ["is signed by itself", [makeCertificate({ subject, usages: [serverAuth], moreExtensions: [hookNames] })], root.pem],
  ["is signed by another authority of the same name", [leaf({ issuer: authority() })], root.pem],
  ["sends that other authority along", [leaf({ issuer: otherRoot }), otherRoot], root.pem],
  ["is issued by an intermediate of the same name", [leaf({ issuer: intermediate }), intermediate], top.pem],
  ["has expired", [leaf({ notAfter: past })], root.pem],
  ["is not valid yet", [leaf({ notBefore: future })], root.pem],
  ["has another name", [leaf()], root.pem, { host: "other.shop.svc" }],
  ["has no names", [leaf({ moreExtensions: [] })], root.pem],
  ["is for clients", [leaf({ usages: [clientAuth] })], root.pem],
  [
    "has a key that may only sign certificates",
    [leaf({ moreExtensions: [hookNames, keyUsageExtension(0x0400)] })],
    root.pem,
  ],
  ["is signed with SHA-1", [leaf({ sha1: true })], root.pem],
  ["meets a bundle of another authority", [leaf()], makeCertificate({ subject: [["2.5.4.3", "x"]] }).pem],
  ["meets an empty bundle", [leaf()], ""],
];
const authorities: [why: string, spec: Partial<CertificateSpec>][] = [
  ["has expired", { notAfter: past }],
  ["is not valid yet", { notBefore: future }],
  ["is not one (CA:FALSE)", { authority: false }],
  ["is for clients", { usages: [clientAuth] }],
  ["may not sign certificates", { moreExtensions: [keyUsageExtension(0x8000)] }],
  ["is limited to some names", { moreExtensions: [nameConstraints] }],
  ["has an unknown critical extension", { moreExtensions: [writeExtension("1.2.3", Buffer.of(5, 0), true)] }],
];

describe("a certificate is refused, and nothing is sent, if it", () => {
  for (const [why, certificate, bundle, how] of refused)
    test(why, async () => {
      expect(await attempt(await serve(...certificate), bundle, how)).toMatch(
        /^(DEPTH|CERT|ERR_TLS|INVALID|UNABLE|SELF)/,
      );
    });

  for (const [why, spec] of authorities)
    test(`has an authority that ${why}`, async () => {
      const issuer = authority(spec);
      expect(await attempt(await serve(leaf({ issuer })), issuer.pem)).toMatch(/^(DEPTH|CERT|INVALID|UNABLE)/);
    });

  test("has the right name and authority, but the clock is past its end", async () => {
    const server = await serve(leaf());
    const agent = trusting(new Agent(), createManualClock(Date.parse("2041-01-01T00:00:00Z")));
    expect(await attempt(server, root.pem, { agent })).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  });
});

test("no session is resumed, which would skip the check of the name", async () => {
  const server = await serve(leaf());
  const agent = trusting(new Agent({ keepAlive: false }));
  const reused: boolean[] = [];
  server.onConnection((socket) => reused.push(socket.isSessionReused()));
  for (const _ of [1, 2, 3]) expect(await attempt(server, root.pem, { agent })).toBe("called");
  expect(reused).toEqual([false, false, false]);
});

test("bytes that are not a certificate are not of a bundle", () => {
  expect(isServerOfBundle(Buffer.from("nonsense"), root.pem, Date.now())).toBe(false);
  const broken = root.pem.replace(/\n.{8}/, "\nAAAAAAAA");
  expect(isServerOfBundle(leaf().der, broken, Date.now())).toBe(false);
});

test("RSA keys that are too small are refused", () => {
  const makes = (bits: number) => {
    const n = Buffer.alloc(bits / 8, 0xff).toString("base64url");
    const publicKey = createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" });
    return isServerOfBundle(leaf({ keys: { ...newKeys(), publicKey } }).der, root.pem, Date.now());
  };
  expect([makes(rsaBitsMin), makes(rsaBitsMin - 512)]).toEqual([true, false]);
});

test("the connections of an agent read its authorities and its key once", async () => {
  const server = await serve(leaf());
  const agent = trusting(new Agent());
  open.push({ close: () => agent.destroy() });
  using made = vi.spyOn(process.getBuiltinModule("node:tls"), "createSecureContext");
  for (let time = 0; time < 3; time++) expect(await attempt(server, root.pem, { agent })).toBe("called");
  expect(made).toHaveBeenCalledTimes(1);
  const other = authority({ subject: [["2.5.4.3", "other"]] });
  expect(await attempt(server, other.pem, { agent })).not.toBe("called");
  expect(await attempt(server, root.pem, { agent })).toBe("called");
});
