/** A CertificateSigningRequest requests a certificate from a signer. */

import {
  bytes,
  elided,
  int32,
  list,
  map,
  optional,
  type Static,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { conditionText, mergeApproval, mergeStatus, type Request } from "./approval.ts";
import { validateRequestSpec } from "./validate-request.ts";
import { validateStatusOf } from "./validate-status.ts";

export const CertificateSigningRequestCondition = struct("certificates.v1.CertificateSigningRequestCondition", {
  type: string().at(1).doc("Approved, Denied or Failed; Approved and Denied exclude each other and are never removed."),
  reason: elided(string()).at(2).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(3).doc("A sentence for people about the last change; may be empty."),
  lastUpdateTime: elided(time()).at(4).doc("When the condition was last written, even if status stayed the same."),
  lastTransitionTime: elided(time()).at(5).doc("When status last changed from one value to another."),
  status: string().at(6).doc("Must be True for Approved, Denied and Failed."),
});
export type CertificateSigningRequestCondition = Static<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestSpec = struct("certificates.v1.CertificateSigningRequestSpec", {
  request: bytes()
    .at(1)
    .doc("The PKCS#10 certificate request in PEM form, as base64. Required, and cannot be changed."),
  username: elided(string()).at(2).doc("The user that created the request; set by the server."),
  uid: elided(string()).at(3).doc("The uid of that user; set by the server."),
  groups: elided(list(string(), { topology: "atomic" }))
    .at(4)
    .doc("The groups of that user; set by the server."),
  usages: elided(list(string(), { topology: "atomic" }))
    .at(5)
    .doc("Key usages of the certificate, such as digital signature, key encipherment, client auth or server auth."),
  extra: elided(map(list(string(), { wrapped: true })))
    .at(6)
    .doc("Further information about that user; set by the server."),
  signerName: string().at(7).doc("Which signer should issue the certificate, as a domain and a name."),
  expirationSeconds: optional(int32())
    .at(8)
    .since("1.22")
    .doc("How long the certificate should be valid, at least 600 seconds; the signer may decide otherwise."),
});
export type CertificateSigningRequestSpec = Static<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestStatus = struct("certificates.v1.CertificateSigningRequestStatus", {
  conditions: elided(list(CertificateSigningRequestCondition, { topology: "map", keys: ["type"] }))
    .at(1)
    .doc("Whether the request was approved, denied or could not be signed."),
  certificate: elided(bytes())
    .at(2)
    .doc("The issued certificate and its intermediates in PEM form; written once by the signer, after approval."),
});
export type CertificateSigningRequestStatus = Static<typeof CertificateSigningRequestStatus>;

export const CertificateSigningRequest = kind({
  group: "certificates.orch.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  resource: "certificatesigningrequests",
  scope: "Cluster",
  shortNames: ["csr"],
  doc: "A CertificateSigningRequest requests a certificate from a signer.",
  fields: {
    spec: CertificateSigningRequestSpec.at(2).doc(
      "The desired state of the certificate signing request, set by its users.",
    ),
    status: elided(CertificateSigningRequestStatus)
      .at(3)
      .doc("The most recently observed state of the certificate signing request, written by the system."),
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
