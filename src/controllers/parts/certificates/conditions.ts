/** The conditions of a certificate request. */

import type { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import type { CertificateSigningRequestCondition } from "../../../api/certificates/v1/request-spec.ts";

type ConditionType = "Approved" | "Denied" | "Failed";

export function hasCondition({ status }: CertificateSigningRequest, type: ConditionType): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}

export function withCondition(
  request: CertificateSigningRequest,
  condition: Pick<CertificateSigningRequestCondition, "reason" | "message"> & { readonly type: ConditionType },
  now: string,
): CertificateSigningRequest {
  const made = { ...condition, status: "True", lastUpdateTime: now, lastTransitionTime: now };
  return { ...request, status: { ...request.status, conditions: [...(request.status?.conditions ?? []), made] } };
}
