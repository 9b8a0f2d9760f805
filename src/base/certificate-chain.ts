/** Verifies a peer's certificate up to one of our authorities; nothing in it is trusted before that. */

import type { KeyObject, X509Certificate } from "node:crypto";
import { parsePem } from "./pem.ts";
import { keyUsageBits, oid, type ParsedCertificate, parseCertificate } from "./x509.ts";

/** How many certificates a chain may have, from leaf to authority, both included. */
export const chainLengthMax = 10;
/** How many signatures are checked for one certificate, so that certificates that issue each other in a circle end the search. */
export const signatureChecksMax = 50;
/** Checking a signature of a larger RSA key would cost the event loop too much. */
export const rsaBitsMax = 8192;
/** Smaller RSA keys of servers can be broken. */
export const rsaBitsMin = 2048;
export const certificateBytesMax = 256 * 1024;

interface PresentedChain {
  /** DER of the leaf, and of the certificates that the peer sent with it. */
  readonly der: Buffer;
  readonly chain: readonly Buffer[];
}

interface Link {
  readonly der: Buffer;
  readonly parsed: ParsedCertificate;
  readonly certificate: X509Certificate;
}

/** A verified leaf, and the time in which the whole chain is valid. */
export interface VerifiedCertificate {
  readonly leaf: ParsedCertificate;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface CertificateAuthorities {
  /** The verified leaf; undefined: no chain to an authority, or one that must not be used for clients. */
  verify(peer: PresentedChain, nowMs: number): VerifiedCertificate | undefined;
}

/** `bundlePem`: one or more CERTIFICATE blocks. Throws an Error when there is none, or one that cannot be read. */
export function parseAuthorities(bundlePem: string): CertificateAuthorities {
  const blocks = bundlePem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("the bundle has no certificate");
  const roots = blocks.map((block) => readLink(readCertificate(block).raw));
  return {
    verify(peer, nowMs) {
      try {
        return verifyChain(roots, peer, { nowMs, checksLeft: signatureChecksMax, usage: oid.clientAuth });
      } catch {
        // A certificate that cannot be read or checked counts as absent; the cause concerns only the sender.
        return undefined;
      }
    },
  };
}

/**
 * Whether an authority of the bundle has itself issued this certificate for a server, or the bundle contains it. Stricter than for
 * clients: there are no intermediates, no weak keys or digests, and no authorities that are limited to some names.
 */
export function isServerOfBundle(der: Buffer, bundlePem: string, nowMs: number): boolean {
  try {
    const leaf = readLink(der);
    const issuer = leaf.parsed.issuer.der;
    const roots = parsePem(bundlePem)
      // Only those that contain the name of the issuer are read: a bundle may have hundreds.
      .filter(({ label, der: block }) => label === "CERTIFICATE" && block.includes(issuer))
      .map((block) => readLink(block.der))
      .filter(isStrong);
    if (!isStrong(leaf) || !mayServe(leaf)) return false;
    const search = { nowMs, checksLeft: signatureChecksMax, usage: oid.serverAuth };
    return verifyChain(roots, { der, chain: [] }, search) !== undefined;
  } catch {
    return false;
  }
}

const strongSignatures: ReadonlySet<string> = new Set([
  oid.sha256WithRsa,
  oid.sha384WithRsa,
  oid.sha512WithRsa,
  oid.ecdsaWithSha256,
  oid.ecdsaWithSha384,
  oid.ecdsaWithSha512,
  oid.ed25519,
]);

function isStrong({ parsed, certificate }: Link): boolean {
  const bits = certificate.publicKey.asymmetricKeyDetails?.modulusLength ?? rsaBitsMin;
  return (
    bits >= rsaBitsMin && strongSignatures.has(parsed.signatureAlgorithm) && !parsed.extensions.has(oid.nameConstraints)
  );
}

/** Digital signature, key encipherment or key agreement, where the certificate names usages of its key. */
function mayServe({ parsed }: Link): boolean {
  const bits = keyUsageBits(parsed.extensions);
  return bits === undefined || (bits & 0xa8) !== 0;
}

function verifyChain(roots: readonly Link[], peer: PresentedChain, search: Search): VerifiedCertificate | undefined {
  if (peer.chain.length >= chainLengthMax) return undefined;
  const leaf = readLink(peer.der);
  if (!isFor(search.usage, leaf)) return undefined;
  if (!isUsable(leaf, search.nowMs)) return undefined;
  const offered = peer.chain.map(readLink).filter((link) => !link.der.equals(leaf.der));
  const path = findPath([leaf], offered, roots, search);
  if (path === undefined) return undefined;
  return {
    leaf: leaf.parsed,
    notBeforeMs: Math.max(...path.map((link) => link.parsed.notBeforeMs)),
    notAfterMs: Math.min(...path.map((link) => link.parsed.notAfterMs)),
  };
}

interface Search {
  readonly nowMs: number;
  /** The extended key usage that every certificate of the chain must allow. */
  readonly usage: string;
  checksLeft: number;
}

/** Depth first from the leaf. */
function findPath(
  path: readonly Link[],
  offered: readonly Link[],
  roots: readonly Link[],
  search: Search,
): readonly Link[] | undefined {
  const last = path[path.length - 1]!;
  const anchor = roots.find((root) => root.der.equals(last.der) || issued(root, path, search));
  if (anchor !== undefined) return anchor.der.equals(last.der) ? path : [...path, anchor];
  if (path.length >= chainLengthMax) return undefined;
  for (const candidate of offered) {
    if (path.includes(candidate) || !issued(candidate, path, search)) continue;
    const found = findPath(
      [...path, candidate],
      offered.filter((link) => link !== candidate),
      roots,
      search,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A serving certificate of the same authority is not an identity. One that names no usages is for all of them, as v1.21 takes it:
 * `openssl x509 -req` makes such.
 */
function isFor(usage: string, { parsed }: Link): boolean {
  const usages = parsed.extendedKeyUsage;
  return usages === undefined || usages.includes(usage) || usages.includes(oid.anyExtendedKeyUsage);
}

/** Whether `issuer` is an authority that may have issued the last certificate of the path, and has signed it. */
function issued(issuer: Link, path: readonly Link[], search: Search): boolean {
  const child = path[path.length - 1]!;
  if (!issuer.parsed.subject.der.equals(child.parsed.issuer.der)) return false;
  if (!issuer.parsed.isAuthority || issuer.parsed.mayIssue === false) return false;
  // Authorities below the issuer: everything on the path but the leaf.
  if (issuer.parsed.pathLength !== undefined && path.length - 1 > issuer.parsed.pathLength) return false;
  if (!isFor(search.usage, issuer)) return false;
  if (!isUsable(issuer, search.nowMs) || search.checksLeft-- <= 0) return false;
  return child.certificate.verify(issuer.certificate.publicKey);
}

const understood: ReadonlySet<string> = new Set([
  oid.keyUsage,
  oid.extendedKeyUsage,
  oid.basicConstraints,
  oid.subjectAltName,
]);

function isUsable(link: Link, nowMs: number): boolean {
  if (nowMs < link.parsed.notBeforeMs || nowMs > link.parsed.notAfterMs) return false;
  for (const extension of link.parsed.extensions.values()) {
    if (extension.critical && !understood.has(extension.oid)) return false;
  }
  return keyIsAffordable(link.certificate.publicKey);
}

function keyIsAffordable(key: KeyObject): boolean {
  return (key.asymmetricKeyDetails?.modulusLength ?? 0) <= rsaBitsMax;
}

function readLink(der: Buffer): Link {
  if (der.length > certificateBytesMax) throw new Error("the certificate is too large");
  return { der, parsed: parseCertificate(der), certificate: readCertificate(der) };
}

/** DER or PEM. Most clients never see a certificate, and loading the module takes milliseconds. */
function readCertificate(bytes: Buffer | string): X509Certificate {
  return new (process.getBuiltinModule("node:crypto").X509Certificate)(bytes);
}
