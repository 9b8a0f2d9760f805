import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { makeCertificate, makeRequest, type NameSpec } from "../../../base/certificate.suite.ts";
import { derTag } from "../../../base/der.ts";
import { writeDer, writeExtension } from "../../../base/der-write.ts";
import { parsePem } from "../../../base/pem.ts";
import { oid, parseCertificate } from "../../../base/x509.ts";
import { orch } from "../../../vocabulary/orch.ts";
import { permissionsToAsk } from "../../csrapproving/reconcile.ts";
import { csrApproving } from "../../csrapproving/wire.ts";
import { requestKeptMs, timeToKeep } from "../../csrcleaner/reconcile.ts";
import { csrCleaner } from "../../csrcleaner/wire.ts";
import { openAuthority, readSigningKey } from "../../csrsigning/authority.ts";
import { csrSigning } from "../../csrsigning/wire.ts";
import { withControllers } from "../../scenario.suite.ts";
import { type BuiltInSigner, builtInSigners, readRequest, refusal } from "./signer-rules.ts";

const node: NameSpec = [
  ["2.5.4.10", "system:nodes"],
  ["2.5.4.3", "system:node:n1"],
];
const person: NameSpec = [["2.5.4.3", "ann"]];
const names = (...items: readonly [tag: number, text: string][]) =>
  writeExtension(
    oid.subjectAltName,
    writeDer(
      derTag.sequence,
      items.map(([tag, text]) => writeDer(tag, Buffer.from(text))),
    ),
  );
const dns = names([0x82, "n1.example"]);
const email = names([0x82, "n1.example"], [0x81, "a@b.example"]);
const base64 = (subject: NameSpec, ...extensions: Buffer[]) =>
  Buffer.from(makeRequest(subject, extensions).pem).toString("base64");
const plain = ["key encipherment", "digital signature"];
const client = [...plain, "client auth"];
const serving = [...plain, "server auth"];

describe("requests that each signer accepts", () => {
  const [user, nodeClient, nodeServing, legacy] = builtInSigners;
  const cases: {
    why: string;
    signer: BuiltInSigner;
    subject: NameSpec;
    usages: string[];
    more?: Buffer[];
    refused?: RegExp;
  }[] = [
    {
      why: "any subject is accepted for the API client signer",
      signer: user,
      subject: person,
      usages: ["client auth"],
    },
    {
      why: "alternative names are accepted for the API client signer",
      signer: user,
      subject: person,
      usages: client,
      more: [dns],
    },
    { why: "client auth must be requested", signer: user, subject: person, usages: plain, refused: /did not include/ },
    {
      why: "other usages are refused",
      signer: user,
      subject: person,
      usages: [...client, "server auth"],
      refused: /not allowed/,
    },
    { why: "a client certificate of a node", signer: nodeClient, subject: node, usages: client },
    {
      why: "exactly these usages are required",
      signer: nodeClient,
      subject: node,
      usages: ["client auth"],
      refused: /exactly/,
    },
    {
      why: "alternative names are refused",
      signer: nodeClient,
      subject: node,
      usages: client,
      more: [dns],
      refused: /not allowed/,
    },
    { why: "only nodes are accepted", signer: nodeClient, subject: person, usages: client, refused: /organization/ },
    {
      why: "only names of nodes are accepted",
      signer: nodeClient,
      subject: [
        ["2.5.4.10", "system:nodes"],
        ["2.5.4.3", "ann"],
      ],
      usages: client,
      refused: /common name/,
    },
    { why: "a serving certificate of a node", signer: nodeServing, subject: node, usages: serving, more: [dns] },
    {
      why: "client auth is accepted in place of server auth",
      signer: nodeServing,
      subject: node,
      usages: client,
      more: [dns],
    },
    {
      why: "client auth beside server auth is refused",
      signer: nodeServing,
      subject: node,
      usages: [...serving, "client auth"],
      more: [dns],
      refused: /exactly/,
    },
    {
      why: "an alternative name is required",
      signer: nodeServing,
      subject: node,
      usages: serving,
      refused: /required/,
    },
    {
      why: "e-mail addresses are refused",
      signer: nodeServing,
      subject: node,
      usages: serving,
      more: [email],
      refused: /must be DNS/,
    },
    { why: "anything is accepted", signer: legacy, subject: person, usages: ["code signing"], more: [email] },
  ];
  for (const { why, signer, subject, usages, more = [], refused } of cases) {
    test(`${signer}: ${why}`, () => {
      const said = refusal(signer, readRequest(base64(subject, ...more)), usages);
      if (refused === undefined) expect(said).toBeUndefined();
      else expect(said).toMatch(refused);
    });
  }
});

const authorityKeys = {
  "P-256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "P-384": () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  RSA: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  Ed25519: () => generateKeyPairSync("ed25519"),
};
/** The certificate names the key; that it signed itself with another algorithm does not matter here. */
function authorityWith(keys: ReturnType<(typeof authorityKeys)["P-256"]>) {
  const own = makeCertificate({ subject: [["2.5.4.3", "ca"]], authority: true });
  const certificate = makeCertificate({
    subject: [["2.5.4.3", "ca"]],
    authority: true,
    keys: { ...own, publicKey: keys.publicKey },
  });
  return { certificate: certificate.pem, key: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
const nowMs = Date.parse("2030-01-01T00:00:00Z");

for (const [name, makeKeys] of Object.entries(authorityKeys)) {
  test(`certificates of an authority with a key on ${name} can be verified`, () => {
    const given = authorityWith(makeKeys());
    const pem = openAuthority(given).sign(readRequest(base64(node, dns)), {
      usages: serving,
      nowMs,
      lifeMs: 3_600_000,
    });
    const made = new X509Certificate(pem);
    expect(made.verify(new X509Certificate(given.certificate).publicKey)).toBe(true);
    expect([made.subject, made.subjectAltName, made.ca]).toEqual([
      "O=system:nodes\nCN=system:node:n1",
      "DNS:n1.example",
      false,
    ]);
    const parsed = parseCertificate(parsePem(pem)[0]!.der);
    expect(parsed.extendedKeyUsage).toEqual([oid.serverAuth]);
    expect(parsed.notAfterMs).toBe(parsed.notBeforeMs + 3_600_000);
  });
}

test("other extensions than names and usages are dropped, and no certificate outlives its authority", () => {
  const given = authorityWith(authorityKeys["P-256"]());
  const wantsToIssue = writeExtension(
    oid.basicConstraints,
    writeDer(derTag.sequence, writeDer(derTag.boolean, Buffer.of(0xff))),
    true,
  );
  const pem = openAuthority(given).sign(readRequest(base64(person, wantsToIssue)), {
    usages: client,
    nowMs,
    lifeMs: 1e15,
  });
  const parsed = parseCertificate(parsePem(pem)[0]!.der);
  expect(parsed.isAuthority).toBe(false);
  expect(parsed.notAfterMs).toBe(Date.parse("2040-01-01T00:00:00Z"));
});

test("an authority with the wrong key is refused", () => {
  const { key } = authorityWith(authorityKeys["P-256"]());
  const { certificate } = authorityWith(authorityKeys["P-256"]());
  expect(() => openAuthority({ certificate, key })).toThrow(/not the one of its certificate/);
});

const requestOf = (more: Partial<CertificateSigningRequest["spec"]> = {}): CertificateSigningRequest => ({
  metadata: { name: "r", creationTimestamp: "2030-01-01T00:00:00Z" },
  spec: { request: base64(node), signerName: "orch.io/orch-apiserver-client-orchlet", usages: client, ...more },
});

test("the required permission depends on the request", () => {
  expect(permissionsToAsk(requestOf({ username: "boot" }), orch)).toEqual(["nodeclient"]);
  expect(permissionsToAsk(requestOf({ username: "system:node:n1" }), orch)).toEqual(["selfnodeclient", "nodeclient"]);
  expect(permissionsToAsk(requestOf({ signerName: "orch.io/orch-apiserver-client" }), orch)).toEqual([]);
  expect(permissionsToAsk(requestOf({ usages: serving }), orch)).toEqual([]);
  expect(permissionsToAsk(requestOf({ request: "bm8=" }), orch)).toEqual([]);
});

test("a request is kept for an hour after its last change, and not longer than its certificate", () => {
  const hour = requestKeptMs;
  expect(timeToKeep(requestOf(), nowMs)).toBe(hour);
  const approved = { type: "Approved", status: "True", lastUpdateTime: "2030-01-01T00:30:00Z" };
  expect(timeToKeep({ ...requestOf(), status: { conditions: [approved] } }, nowMs)).toBe(hour + 1_800_000);
  const ended = makeCertificate({ subject: person, notAfter: new Date("2029-01-01T00:00:00Z") });
  const certificate = Buffer.from(ended.pem).toString("base64");
  expect(timeToKeep({ ...requestOf(), status: { certificate } }, nowMs)).toBe(0);
});

test("a node's request is approved and signed, another one fails, and an old one is deleted", () => {
  const given = authorityWith(authorityKeys["P-256"]());
  return withControllers(
    [csrApproving, csrSigning, csrCleaner],
    async ({ client: api, create, until }) => {
      await create(CertificateSigningRequest, { ...requestOf(), metadata: { name: "node" } });
      const signed = await until(
        CertificateSigningRequest,
        { name: "node" },
        ({ status }) => status?.certificate !== undefined,
      );
      expect(signed.status?.conditions?.[0]?.reason).toBe("AutoApproved");
      const made = new X509Certificate(Buffer.from(signed.status?.certificate ?? "", "base64"));
      expect(made.verify(new X509Certificate(given.certificate).publicKey)).toBe(true);

      const wrong = { request: base64(person), signerName: "orch.io/orch-apiserver-client", usages: plain };
      const pending = await create(CertificateSigningRequest, { metadata: { name: "wrong" }, spec: wrong });
      // Conditions of other types are accepted as well.
      const conditions = ["Approved", "Seen"].map((type) => ({ type, status: "True", reason: "Reviewed" }));
      await api
        .of(CertificateSigningRequest)
        .subresource({ name: "wrong" }, "approval", { ...pending, status: { conditions } }, "PUT");
      const failed = await until(
        CertificateSigningRequest,
        { name: "wrong" },
        ({ status }) => status?.conditions?.length === 3,
      );
      expect(failed.status?.conditions?.map(({ type }) => type)).toEqual(["Approved", "Seen", "Failed"]);
      expect(failed.status?.conditions?.[2]).toMatchObject({ type: "Failed", reason: "SignerValidationFailure" });
    },
    { settings: { signers: new Map(builtInSigners.map((signer) => [signer, given])) } },
  );
});

test("a file that is not a key is refused with a reason that names what is expected", () => {
  expect(() => readSigningKey("junk")).toThrow("does not hold a private key");
});
