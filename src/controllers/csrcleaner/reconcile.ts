/** How long certificate requests are kept. */

import { X509Certificate } from "node:crypto";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { lookAgainMs } from "../../base/clock.ts";
import { type Plan, remove } from "../plan.ts";

/** After the last change of its state, whatever that is. */
export const requestKeptMs = 3_600_000;

export function planCleaning(request: CertificateSigningRequest, nowMs: number): Plan {
  const leftMs = timeToKeep(request, nowMs);
  if (leftMs > 0) return { reviewInMs: lookAgainMs(leftMs, requestKeptMs) };
  const { name = "", uid } = request.metadata;
  return { writes: [remove(CertificateSigningRequest, { name }, { uid, reason: "its time is over" })] };
}

/** Milliseconds until the request is to be deleted; 0 or less: now. */
export function timeToKeep(request: CertificateSigningRequest, nowMs: number): number {
  if (hasExpired(request.status?.certificate ?? "", nowMs)) return 0;
  const changes = [
    request.metadata.creationTimestamp,
    ...(request.status?.conditions ?? []).map(({ lastUpdateTime }) => lastUpdateTime),
  ];
  const last = Math.max(...changes.map((text) => Date.parse(text ?? "")).filter((ms) => !Number.isNaN(ms)));
  return Number.isFinite(last) ? last + requestKeptMs - nowMs : requestKeptMs;
}

/** An expired certificate is useless. */
function hasExpired(base64: string, nowMs: number): boolean {
  if (base64 === "") return false;
  try {
    return Date.parse(new X509Certificate(Buffer.from(base64, "base64")).validTo) <= nowMs;
  } catch {
    return false; // an issuer may write any text
  }
}
