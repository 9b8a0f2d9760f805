/** Makes keys and certificates on P-256: an authority of our own, and what it issues. */

import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { derChildren, derTag, readWholeDer } from "../../base/der.ts";
import { writeDer, writeExtension, writeName, writeOid, writeSigned, writeTime } from "../../base/der-write.ts";
import { parseIp } from "../../base/ip-address.ts";
import { parsePem, writePem } from "../../base/pem.ts";
import { oid, type ParsedCertificate, parseCertificate } from "../../base/x509.ts";

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

/** Bits of the key usage extension, from the first octet's highest. */
const usage = { digitalSignature: 0x80, keyCertSign: 0x04, cRLSign: 0x02 } as const;

/** ECDSA with SHA-256. */
const algorithm = writeDer(derTag.sequence, writeOid("1.2.840.10045.4.3.2"));

export function issueAuthority(commonName: string, clock: Clock): KeyPair {
  const { privateKey, publicKey } = newKeys();
  const name = writeName([[oid.commonName, commonName]]);
  const certificate = writeCertificate({
    issuer: name,
    subject: name,
    publicKey,
    signingKey: privateKey,
    ...validity(clock, authorityLifeMs),
    extensions: [
      writeExtension(oid.basicConstraints, writeDer(derTag.sequence, writeDer(derTag.boolean, Buffer.of(0xff))), true),
      keyUsage(usage.keyCertSign | usage.cRLSign | usage.digitalSignature),
      writeExtension(oid.subjectKeyIdentifier, writeDer(derTag.octetString, keyIdentifier(publicKey))),
    ],
  });
  return { certificate, key: exportKey(privateKey) };
}

/** A certificate with which the server shows itself. */
export function issueServing(authority: KeyPair, request: ServingRequest, clock: Clock): KeyPair {
  return issueLeaf(authority, [[oid.commonName, request.commonName]], validity(clock, leafLifeMs), [
    extendedKeyUsage(oid.serverAuth),
    writeExtension(oid.subjectAltName, writeDer(derTag.sequence, request.hosts.map(alternativeName))),
  ]);
}

/** A certificate with which a client shows who it is. */
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
  const { privateKey, publicKey } = newKeys();
  const certificate = writeCertificate({
    issuer: issuer.subject.der,
    subject: writeName(subject),
    publicKey,
    signingKey: createPrivateKey(authority.key),
    ...valid,
    extensions: [
      writeExtension(oid.basicConstraints, writeDer(derTag.sequence), true),
      keyUsage(usage.digitalSignature),
      ...extensions,
      writeExtension(oid.subjectKeyIdentifier, writeDer(derTag.octetString, keyIdentifier(publicKey))),
      ...authorityKeyIdentifier(issuer),
    ],
  });
  return { certificate, key: exportKey(privateKey) };
}

interface CertificateParts extends Validity {
  /** Both names encoded. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function writeCertificate(parts: CertificateParts): string {
  const contents = writeDer(
    derTag.sequence,
    writeDer(0xa0, writeDer(derTag.integer, Buffer.of(2))), // version 3
    writeDer(derTag.integer, serialNumber()),
    algorithm,
    parts.issuer,
    writeDer(derTag.sequence, writeTime(parts.notBeforeMs), writeTime(parts.notAfterMs)),
    parts.subject,
    parts.publicKey.export({ type: "spki", format: "der" }),
    writeDer(0xa3, writeDer(derTag.sequence, parts.extensions)),
  );
  return writePem("CERTIFICATE", writeSigned(contents, algorithm, sign("sha256", contents, parts.signingKey)));
}

function readAuthority(pem: string): ParsedCertificate {
  const block = parsePem(pem).find(({ label }) => label === "CERTIFICATE");
  if (block === undefined) throw new Error("the authority's file holds no certificate");
  return parseCertificate(block.der);
}

function keyUsage(bits: number): Buffer {
  const unused = 31 - Math.clz32(bits & -bits);
  return writeExtension(oid.keyUsage, writeDer(derTag.bitString, Buffer.of(unused, bits)), true);
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

/** The digest of the key's bits, by which whoever checks a chain finds the issuer. */
function keyIdentifier(key: KeyObject): Buffer {
  const [, bits] = derChildren(readWholeDer(key.export({ type: "spki", format: "der" })));
  return createHash("sha1").update(bits!.contents.subarray(1)).digest();
}

function authorityKeyIdentifier(issuer: ParsedCertificate): readonly Buffer[] {
  const extension = issuer.extensions.get(oid.subjectKeyIdentifier);
  if (extension === undefined) return [];
  const { contents } = readWholeDer(extension.value);
  return [writeExtension(oid.authorityKeyIdentifier, writeDer(derTag.sequence, writeDer(0x80, contents)))];
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function exportKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function validity(clock: Clock, lifeMs: number): Validity {
  const now = clock.now();
  return { notBeforeMs: now - skewMs, notAfterMs: now + lifeMs };
}

/** Positive (the top bit is clear) and never shorter than it says (the next is set). */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes;
}
