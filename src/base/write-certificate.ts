/** Writes X.509 certificates: what an authority states about a key, signed with the authority's own key. */

import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";
import { derChildren, derTag, readWholeDer } from "./der.ts";
import { writeDer, writeExtension, writeOid, writeSigned, writeTime } from "./der-write.ts";
import { writePem } from "./pem.ts";
import { oid, type ParsedCertificate } from "./x509.ts";

interface CertificateParts {
  /** Both names encoded. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** SubjectPublicKeyInfo, encoded. */
  readonly publicKeyDer: Buffer;
  readonly signingKey: KeyObject;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Encoded. */
  readonly extensions: readonly Buffer[];
}

/** PEM. Throws an Error when the key cannot sign certificates. */
export function writeCertificate(parts: CertificateParts): string {
  const { hash, algorithm } = signatureOf(parts.signingKey);
  const contents = writeDer(
    derTag.sequence,
    writeDer(0xa0, writeDer(derTag.integer, Buffer.of(2))), // version 3
    writeDer(derTag.integer, serialNumber()),
    algorithm,
    parts.issuer,
    writeDer(derTag.sequence, writeTime(parts.notBeforeMs), writeTime(parts.notAfterMs)),
    parts.subject,
    parts.publicKeyDer,
    writeDer(0xa3, writeDer(derTag.sequence, parts.extensions)),
  );
  return writePem("CERTIFICATE", writeSigned(contents, algorithm, sign(hash, contents, parts.signingKey)));
}

const ecdsa: Readonly<Record<string, readonly [hash: string, oid: string]>> = {
  prime256v1: ["sha256", "1.2.840.10045.4.3.2"],
  secp384r1: ["sha384", "1.2.840.10045.4.3.3"],
  secp521r1: ["sha512", "1.2.840.10045.4.3.4"],
};

function signatureOf(key: KeyObject): { readonly hash: string | null; readonly algorithm: Buffer } {
  const identifier = (name: string, parameters: readonly Buffer[] = []) =>
    writeDer(derTag.sequence, writeOid(name), parameters);
  switch (key.asymmetricKeyType) {
    case "rsa":
      return { hash: "sha256", algorithm: identifier("1.2.840.113549.1.1.11", [Buffer.of(5, 0)]) };
    case "ec": {
      const [hash, name] = ecdsa[key.asymmetricKeyDetails?.namedCurve ?? ""] ?? [];
      if (hash !== undefined && name !== undefined) return { hash, algorithm: identifier(name) };
      break;
    }
    case "ed25519":
      return { hash: null, algorithm: identifier("1.3.101.112") };
    default:
  }
  throw new Error("the authority's key must be RSA, P-256, P-384, P-521 or Ed25519");
}

/** The digest of the key's bits, by which a verifier of a chain finds the issuer. */
export function keyIdentifier(publicKeyDer: Buffer): Buffer {
  const [, bits] = derChildren(readWholeDer(publicKeyDer));
  return createHash("sha1")
    .update(bits?.contents.subarray(1) ?? Buffer.alloc(0))
    .digest();
}

/** None where the issuer has no identifier. */
export function authorityKeyIdentifier(issuer: ParsedCertificate): readonly Buffer[] {
  const extension = issuer.extensions.get(oid.subjectKeyIdentifier);
  if (extension === undefined) return [];
  const { contents } = readWholeDer(extension.value);
  return [writeExtension(oid.authorityKeyIdentifier, writeDer(derTag.sequence, writeDer(0x80, contents)))];
}

/** `bits`: the first sixteen of the key usage extension, the first one highest. */
export function keyUsageExtension(bits: number): Buffer {
  const octets = (bits & 0xff) === 0 ? [bits >>> 8] : [bits >>> 8, bits & 0xff];
  const last = octets.at(-1) ?? 0;
  const unused = last === 0 ? 0 : 31 - Math.clz32(last & -last);
  return writeExtension(oid.keyUsage, writeDer(derTag.bitString, Buffer.of(unused, ...octets)), true);
}

/** Positive (the top bit is clear) and never shorter when encoded (the next bit is set). */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}
