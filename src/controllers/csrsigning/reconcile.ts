/** How an approved certificate request is completed. */

import type { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { hasCondition, withCondition } from "../parts/certificates/conditions.ts";
import { type BuiltInSigner, readRequest, refusal } from "../parts/certificates/signer-rules.ts";
import type { Authority } from "./authority.ts";

/** Whether it waits for its certificate. */
export function isSignable(request: CertificateSigningRequest): boolean {
  if (!hasCondition(request, "Approved") || hasCondition(request, "Failed")) return false;
  return (request.status?.certificate ?? "") === "";
}

/** The request with its certificate, or with the condition that says why it was refused. */
export function signed(
  request: CertificateSigningRequest,
  signer: BuiltInSigner,
  authority: Authority,
  { nowMs, lifeMs, now }: { readonly nowMs: number; readonly lifeMs: number; readonly now: string },
): CertificateSigningRequest {
  const { spec } = request;
  const usages = spec.usages ?? [];
  const asked = readRequest(spec.request);
  const message = refusal(signer, asked, usages);
  if (message !== undefined)
    return withCondition(request, { type: "Failed", reason: "SignerValidationFailure", message }, now);
  const wishedMs = spec.expirationSeconds === undefined ? lifeMs : spec.expirationSeconds * 1_000;
  const certificate = authority.sign(asked, { usages, nowMs, lifeMs: Math.min(wishedMs, lifeMs) });
  return { ...request, status: { ...request.status, certificate: Buffer.from(certificate).toString("base64") } };
}
