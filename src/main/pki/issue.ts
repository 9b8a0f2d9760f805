/** Makes keys and certificates on P-256: an authority of our own, and what it issues. */

import { randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import type { Clock } from "../../base/clock.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface ServingRequest {
  readonly commonName: string;
  /** Host names and addresses that clients may use. */
  readonly hosts: readonly string[];
}

export interface ClientRequest {
  /** Becomes the user's name. */
  readonly commonName: string;
  /** Become the user's groups. */
  readonly organizations: readonly string[];
  /** Default: a year. */
  readonly lifeMs?: number;
}

const dayMs = 86_400_000;
export const authorityLifeMs = 3_650 * dayMs;
export const leafLifeMs = 365 * dayMs;
/** Certificates begin a little in the past, so that a client whose clock is behind accepts them. */
const skewMs = 5 * 60_000;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export async function issueAuthority(commonName: string, clock: Clock): Promise<KeyPair> {
  const x509 = await load();
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    ...validity(clock, authorityLifeMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate), key: await exportKey(keys.privateKey) };
}

/** A certificate with which the server shows itself. */
export async function issueServing(authority: KeyPair, request: ServingRequest, clock: Clock): Promise<KeyPair> {
  const x509 = await load();
  const names = request.hosts.map((host) => ({ type: isIP(host) ? ("ip" as const) : ("dns" as const), value: host }));
  return await issueLeaf(authority, [{ CN: [request.commonName] }], validity(clock, leafLifeMs), [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
  ]);
}

/** A certificate with which a client shows who it is. */
export async function issueClient(authority: KeyPair, request: ClientRequest, clock: Clock): Promise<KeyPair> {
  const x509 = await load();
  const name = [...request.organizations.map((value) => ({ O: [value] })), { CN: [request.commonName] }];
  return await issueLeaf(authority, name, validity(clock, request.lifeMs ?? leafLifeMs), [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
}

/** A key that signs service account tokens (PEM); its public half verifies them. */
export async function issueTokenKey(): Promise<string> {
  const keys = await generateKeys();
  return await exportKey(keys.privateKey);
}

type X509 = typeof import("@peculiar/x509");

/** Loading the issuing code takes longer than starting the server, so only whoever issues pays for it. */
async function load(): Promise<X509> {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  // Node's WebCrypto is the browser's in all that is used; only the type declarations differ.
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  return x509;
}

type Extension = InstanceType<X509["Extension"]>;

async function issueLeaf(
  authority: KeyPair,
  subject: Record<string, string[]>[],
  valid: { readonly notBefore: Date; readonly notAfter: Date },
  extensions: readonly Extension[],
): Promise<KeyPair> {
  const x509 = await load();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: issuer.subjectName,
    ...valid,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...extensions,
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: pem(certificate), key: await exportKey(keys.privateKey) };
}

function generateKeys() {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return toPem("PRIVATE KEY", await webcrypto.subtle.exportKey("pkcs8", key));
}

function importKey(key: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(key.replace(/-----[^-]+-----/g, ""), "base64");
  return webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}

function validity(clock: Clock, lifeMs: number): { notBefore: Date; notAfter: Date } {
  const now = clock.now();
  return { notBefore: new Date(now - skewMs), notAfter: new Date(now + lifeMs) };
}

/** Positive (the top bit is clear) and never shorter than it says (the next is set). */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes.toString("hex");
}

function pem(certificate: { toString(format: "pem"): string }): string {
  return `${certificate.toString("pem").trim()}\n`;
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
