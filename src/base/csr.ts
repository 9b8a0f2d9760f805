/** Reads PKCS#10 certificate requests. */

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { DerError, derChildren, derOid, derTag, expectDer, readWholeDer } from "./der.ts";
import { parsePem } from "./pem.ts";
import type { AlternativeNames, DistinguishedName, Extension } from "./x509.ts";
import { oid, parseAlternativeNames, parseExtensions, parseName } from "./x509.ts";

export interface CertificateRequest {
  readonly subject: DistinguishedName;
  readonly publicKey: KeyObject;
  /** DER of the key, as in the request. */
  readonly publicKeyDer: Buffer;
  /** The requested extensions; empty: none. */
  readonly extensions: ReadonlyMap<string, Extension>;
  readonly alternativeNames: AlternativeNames;
  readonly der: Buffer;
}

export const requestBytesMax = 1024 * 1024;
/** Checking a signature of a larger RSA key would cost the event loop too much. */
export const requestRsaBitsMax = 8192;

/** The first block of a PEM text. Throws an Error whose message says what is wrong with it. */
export function parseCertificateRequestPem(text: string): CertificateRequest {
  if (text.length > requestBytesMax) throw new Error("the request is too large");
  const [block] = parsePem(text);
  if (block === undefined || block.label !== "CERTIFICATE REQUEST") {
    throw new Error("PEM block type must be CERTIFICATE REQUEST");
  }
  return parseCertificateRequest(block.der);
}

/** Throws an Error on anything that is not a request. The signature is checked by `verifyCertificateRequest`. */
export function parseCertificateRequest(der: Buffer): CertificateRequest {
  try {
    const [info] = derChildren(expectDer(readWholeDer(der), derTag.sequence));
    const [version, name, key, attributes] = derChildren(expectDer(info, derTag.sequence));
    expectDer(version, derTag.integer);
    const publicKeyDer = expectDer(key, derTag.sequence).encoded;
    const publicKey = createPublicKey({ key: publicKeyDer, format: "der", type: "spki" });
    const extensions = requestedExtensions(attributes?.tag === 0xa0 ? derChildren(attributes) : []);
    return {
      subject: parseName(expectDer(name, derTag.sequence)),
      publicKey,
      publicKeyDer,
      extensions,
      alternativeNames: parseAlternativeNames(extensions.get(oid.subjectAltName)),
      der,
    };
  } catch (cause) {
    throw new Error("the block is not a PKCS#10 certificate request", { cause });
  }
}

function requestedExtensions(attributes: readonly { tag: number; contents: Buffer; encoded: Buffer }[]) {
  for (const attribute of attributes) {
    const [type, values] = derChildren(expectDer(attribute, derTag.sequence));
    if (type === undefined) throw new DerError("an attribute is incomplete");
    if (derOid(type) !== oid.extensionRequest) continue;
    return parseExtensions(derChildren(expectDer(values, derTag.set))[0]);
  }
  return new Map<string, Extension>();
}

/** Whether the request is signed by the key it names, which proves that its creator holds the private key. */
export function verifyCertificateRequest(request: CertificateRequest): boolean {
  if ((request.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) > requestRsaBitsMax) return false;
  try {
    const [info, algorithm, signature] = derChildren(expectDer(readWholeDer(request.der), derTag.sequence));
    const [type] = derChildren(expectDer(algorithm, derTag.sequence));
    if (info === undefined || type === undefined) return false;
    const hash = hashes.get(derOid(type));
    if (hash === undefined) return false;
    const bits = expectDer(signature, derTag.bitString).contents;
    return bits[0] === 0 && verify(hash, info.encoded, request.publicKey, bits.subarray(1));
  } catch {
    return false;
  }
}

/** Signature algorithm -> digest; null: the algorithm has its own. SHA-1 and MD5 are not accepted. */
const hashes: ReadonlyMap<string, string | null> = new Map([
  ["1.2.840.113549.1.1.11", "sha256"],
  ["1.2.840.113549.1.1.12", "sha384"],
  ["1.2.840.113549.1.1.13", "sha512"],
  ["1.2.840.10045.4.3.2", "sha256"],
  ["1.2.840.10045.4.3.3", "sha384"],
  ["1.2.840.10045.4.3.4", "sha512"],
  ["1.3.101.112", null],
]);
