/** A CertificateSigningRequest asks a signer for a certificate. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, list, map, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import type { Request } from "./approval.ts";
import { conditionText, mergeApproval, mergeStatus } from "./approval.ts";
import { validateRequestSpec } from "./validate-request.ts";
import { validateStatusOf } from "./validate-status.ts";

export const CertificateSigningRequestCondition = struct("certificates.v1.CertificateSigningRequestCondition", {
  type: string().at(1),
  reason: elided(string()).at(2),
  message: elided(string()).at(3),
  lastUpdateTime: elided(time()).at(4),
  lastTransitionTime: elided(time()).at(5),
  status: string().at(6),
});
export type CertificateSigningRequestCondition = Static<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestSpec = struct("certificates.v1.CertificateSigningRequestSpec", {
  request: bytes().at(1),
  username: elided(string()).at(2),
  uid: elided(string()).at(3),
  groups: elided(list(string(), { topology: "atomic" })).at(4),
  usages: elided(list(string(), { topology: "atomic" })).at(5),
  extra: elided(map(list(string(), { wrapped: true }))).at(6),
  signerName: string().at(7),
});
export type CertificateSigningRequestSpec = Static<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestStatus = struct("certificates.v1.CertificateSigningRequestStatus", {
  conditions: elided(list(CertificateSigningRequestCondition, { topology: "map", keys: ["type"] })).at(1),
  certificate: elided(bytes()).at(2),
});
export type CertificateSigningRequestStatus = Static<typeof CertificateSigningRequestStatus>;

export const CertificateSigningRequest = kind({
  group: "certificates.orch.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  resource: "certificatesigningrequests",
  scope: "Cluster",
  shortNames: ["csr"],
  doc: "A CertificateSigningRequest asks a signer for a certificate.",
  fields: {
    spec: CertificateSigningRequestSpec.at(2),
    status: elided(CertificateSigningRequestStatus).at(3),
  },
  name: "pathSegment",
  resets: ["spec"],
  prepareForUpdate(request, old) {
    request.spec = old.spec;
  },
  validate: (request, environment) => validateRequestSpec(request.spec, true, environment),
  validateUpdate: () => [],
  selectableFields: { "spec.signerName": (request) => request.spec.signerName },
  columns: (column) => [
    nameColumn,
    ageColumn,
    column("SignerName", (request) => request.spec.signerName || "<none>"),
    column("Requestor", (request) => request.spec.username ?? ""),
    column("Condition", conditionText),
  ],
  subresources: [
    {
      name: "approval",
      verbs: ["get", "patch", "update"],
      resets: ["spec", "status"],
      merge: mergeApproval,
      validate: (next, old) => validateStatusOf(next, old, { strict: true, path: "approval" }),
    },
    status({
      resets: ["status"],
      merge: mergeStatus,
      validate: (next: Request, old: Request) => validateStatusOf(next, old, { strict: true, path: "status" }),
    }),
  ],
});
export type CertificateSigningRequest = Static<typeof CertificateSigningRequest>;
