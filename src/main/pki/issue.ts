/** Creates keys and certificates on P-256: an authority, and the certificates that it issues. */

import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { derTag } from "../../base/der.ts";
import { writeDer, writeExtension, writeName, writeOid } from "../../base/der-write.ts";
import { parseIp } from "../../base/ip-address.ts";
import { parsePem } from "../../base/pem.ts";
import {
  authorityKeyIdentifier,
  keyIdentifier,
  keyUsageExtension,
  writeCertificate,
} from "../../base/write-certificate.ts";
import { oid, type ParsedCertificate, parseCertificate } from "../../base/x509.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

interface ServingRequest {
  readonly commonName: string;
  /** Host names and addresses that clients may use. */
  readonly hosts: readonly string[];
}

interface ClientRequest {
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
/** Certificates become valid a little in the past, so that a client whose clock is slow accepts them. */
const skewMs = 5 * 60_000;

/** Bits of the key usage extension, from the first octet's highest. */
const usage = { digitalSignature: 0x8000, keyCertSign: 0x0400, cRLSign: 0x0200 } as const;

export function issueAuthority(commonName: string, clock: Clock): KeyPair {
  const { privateKey, publicKeyDer } = newKeys();
  const name = writeName([[oid.commonName, commonName]]);
  const certificate = writeCertificate({
    issuer: name,
    subject: name,
    publicKeyDer,
    signingKey: privateKey,
    ...validity(clock, authorityLifeMs),
    extensions: [
      writeExtension(oid.basicConstraints, writeDer(derTag.sequence, writeDer(derTag.boolean, Buffer.of(0xff))), true),
      keyUsageExtension(usage.keyCertSign | usage.cRLSign | usage.digitalSignature),
      writeExtension(oid.subjectKeyIdentifier, writeDer(derTag.octetString, keyIdentifier(publicKeyDer))),
    ],
  });
  return { certificate, key: exportKey(privateKey) };
}

/** A serving certificate. */
export function issueServing(authority: KeyPair, request: ServingRequest, clock: Clock): KeyPair {
  return issueLeaf(authority, [[oid.commonName, request.commonName]], validity(clock, leafLifeMs), [
    extendedKeyUsage(oid.serverAuth),
    writeExtension(oid.subjectAltName, writeDer(derTag.sequence, request.hosts.map(alternativeName))),
  ]);
}

/** A client certificate. */
export function issueClient(authority: KeyPair, request: ClientRequest, clock: Clock): KeyPair {
  const organizations = request.organizations.map((value) => [oid.organization, value] as const);
  const subject = [...organizations, [oid.commonName, request.commonName] as const];
  return issueLeaf(authority, subject, validity(clock, request.lifeMs ?? leafLifeMs), [
    extendedKeyUsage(oid.clientAuth),
  ]);
}

/** A key that signs service account tokens (PEM); its public half verifies them. */
export function issueTokenKey(): string {
  return exportKey(newKeys().privateKey);
}

interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

function issueLeaf(
  authority: KeyPair,
  subject: readonly (readonly [oid: string, value: string])[],
  valid: Validity,
  extensions: readonly Buffer[],
): KeyPair {
  const issuer = readAuthority(authority.certificate);
  const { privateKey, publicKeyDer } = newKeys();
  const certificate = writeCertificate({
    issuer: issuer.subject.der,
    subject: writeName(subject),
    publicKeyDer,
    signingKey: createPrivateKey(authority.key),
    ...valid,
    extensions: [
      writeExtension(oid.basicConstraints, writeDer(derTag.sequence), true),
      keyUsageExtension(usage.digitalSignature),
      ...extensions,
      writeExtension(oid.subjectKeyIdentifier, writeDer(derTag.octetString, keyIdentifier(publicKeyDer))),
      ...authorityKeyIdentifier(issuer),
    ],
  });
  return { certificate, key: exportKey(privateKey) };
}

export function readAuthority(pem: string): ParsedCertificate {
  const block = parsePem(pem).find(({ label }) => label === "CERTIFICATE");
  if (block === undefined) throw new Error("the authority's file holds no certificate");
  return parseCertificate(block.der);
}

function extendedKeyUsage(purpose: string): Buffer {
  return writeExtension(oid.extendedKeyUsage, writeDer(derTag.sequence, writeOid(purpose)));
}

function alternativeName(host: string): Buffer {
  const address = parseIp(host);
  return address === undefined
    ? writeDer(0x82, Buffer.from(host, "latin1"))
    : writeDer(0x87, Buffer.from(address.value.toString(16).padStart(address.version === 4 ? 8 : 32, "0"), "hex"));
}

function newKeys() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, publicKeyDer: publicKey.export({ type: "spki", format: "der" }) };
}

function exportKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function validity(clock: Clock, lifeMs: number): Validity {
  const now = clock.now();
  return { notBeforeMs: now - skewMs, notAfterMs: now + lifeMs };
}
