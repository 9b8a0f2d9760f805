/** What is wrong with an issued certificate as a signer writes it. */

import { X509Certificate } from "node:crypto";
import { parsePem } from "../../../base/pem.ts";

/** Base64; absent is fine. */
export function certificateProblem(encoded: string): string | undefined {
  if (encoded === "") return undefined;
  const blocks = parsePem(Buffer.from(encoded, "base64").toString("latin1"));
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const { label, hasHeaders, der } of blocks) {
    if (label !== "CERTIFICATE") return "only CERTIFICATE PEM blocks are allowed";
    if (hasHeaders) return "no PEM block headers are permitted";
    try {
      new X509Certificate(der);
    } catch {
      return "found CERTIFICATE PEM block without a certificate in it";
    }
  }
  return undefined;
}

/** What is wrong with certificates of authorities. */
export function trustAnchorsProblem(pem: string): string | undefined {
  const blocks = parsePem(pem);
  if (blocks.length === 0) return "at least one trust anchor must be provided";
  const seen = new Map<string, number>();
  for (const [index, { label, hasHeaders, der }] of blocks.entries()) {
    const what = `entry ${index}`;
    if (label !== "CERTIFICATE") return `${what} has bad block type: ${label}`;
    if (hasHeaders) return `${what} has PEM block headers`;
    let certificate: X509Certificate;
    try {
      certificate = new X509Certificate(der);
    } catch {
      return `${what} does not parse as X.509`;
    }
    if (!certificate.ca) return `${what} does not have the CA bit set`;
    const before = seen.get(certificate.fingerprint256);
    if (before !== undefined) return `${what} is the same certificate as entry ${before}`;
    seen.set(certificate.fingerprint256, index);
  }
  return undefined;
}
