/** A CertificateSigningRequest asks a signer for a certificate. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, list, map, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import type { Request } from "../v1/approval.ts";
import { mergeApproval, mergeBetaStatus } from "../v1/approval.ts";
import { CertificateSigningRequest as Hub } from "../v1/certificate-signing-request.ts";
import { validateRequestSpec } from "../v1/validate-request.ts";
import { validateStatusOf } from "../v1/validate-status.ts";
import { defaultSigner } from "./default-signer.ts";

export const CertificateSigningRequestCondition = struct("certificates.v1beta1.CertificateSigningRequestCondition", {
  type: string().at(1),
  reason: elided(string()).at(2),
  message: elided(string()).at(3),
  lastUpdateTime: elided(time()).at(4),
  lastTransitionTime: elided(time()).at(5),
  status: elided(string()).at(6).default("True"),
});
export type CertificateSigningRequestCondition = Static<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestSpec = struct(
  "certificates.v1beta1.CertificateSigningRequestSpec",
  {
    request: bytes().at(1),
    username: elided(string()).at(2),
    uid: elided(string()).at(3),
    groups: elided(list(string(), { topology: "atomic" })).at(4),
    // An empty list is a mistake that is told, where an absent one gets a default.
    usages: list(string(), { topology: "atomic", keepsEmpty: true }).listed(false).at(5),
    extra: elided(map(list(string(), { wrapped: true }))).at(6),
    signerName: optional(string()).at(7),
  },
  {
    defaults(spec, environment) {
      spec.usages ??= ["digital signature", "key encipherment"];
      spec.signerName ??= defaultSigner(spec.request, spec.usages, environment);
    },
  },
);
export type CertificateSigningRequestSpec = Static<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestStatus = struct("certificates.v1beta1.CertificateSigningRequestStatus", {
  conditions: elided(list(CertificateSigningRequestCondition, { topology: "map", keys: ["type"] })).at(1),
  certificate: elided(bytes()).at(2),
});
export type CertificateSigningRequestStatus = Static<typeof CertificateSigningRequestStatus>;

export const CertificateSigningRequest = version(Hub, {
  version: "v1beta1",
  fields: {
    spec: elided(CertificateSigningRequestSpec).at(2),
    status: elided(CertificateSigningRequestStatus).at(3),
  },
  life: { validate: (request, environment) => validateRequestSpec(request.spec, false, environment) },
  subresources: [
    {
      name: "approval",
      verbs: ["get", "patch", "update"],
      resets: ["spec", "status"],
      merge: mergeApproval,
      validate: (next, old) => validateStatusOf(next, old, { strict: false, path: "approval" }),
    },
    status({
      resets: ["status"],
      merge: mergeBetaStatus,
      validate: (next: Request, old: Request) => validateStatusOf(next, old, { strict: false, path: "status" }),
    }),
  ],
  deprecated: { since: "1.19", removed: "1.22", replacement: "certificates.orch.io/v1 CertificateSigningRequest" },
});
export type CertificateSigningRequest = Static<typeof CertificateSigningRequest>;
