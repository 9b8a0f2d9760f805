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
