/** A CertificateSigningRequest requests a certificate from a signer. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, list, map, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { status, version } from "../../../machinery/schema/kind.ts";
import { noErrors } from "../../../machinery/status/field-error.ts";
import { mergeApproval, mergeBetaStatus, type Request } from "../v1/approval.ts";
import { CertificateSigningRequest as Hub } from "../v1/certificate-signing-request.ts";
import { validateStatusOf } from "../v1/validate-status.ts";
import { defaultSigner } from "./default-signer.ts";

const CertificateSigningRequestCondition = struct("certificates.v1beta1.CertificateSigningRequestCondition", {
  type: string().at(1).doc("Approved, Denied or Failed; Approved and Denied exclude each other and are never removed."),
  reason: elided(string()).at(2).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(3).doc("A sentence for people about the last change; may be empty."),
  lastUpdateTime: elided(time()).at(4).doc("When the condition was last written, even if status stayed the same."),
  lastTransitionTime: elided(time()).at(5).doc("When status last changed from one value to another."),
  status: string().listed(false).at(6).default("True").doc("Must be True for Approved, Denied and Failed."),
});

const CertificateSigningRequestSpec = struct(
  "certificates.v1beta1.CertificateSigningRequestSpec",
  {
    request: bytes()
      .at(1)
      .openApiAtomic()
      .doc("The PKCS#10 certificate request in PEM form, as base64. Required, and cannot be changed."),
    username: elided(string()).at(2).doc("The user that created the request; set by the server."),
    uid: elided(string()).at(3).doc("The uid of that user; set by the server."),
    groups: elided(list(string(), { topology: "atomic" }))
      .at(4)
      .doc("The groups of that user; set by the server."),
    // An empty list is reported as a mistake, while an absent one gets a default.
    usages: optional(list(string(), { topology: "atomic", keepsEmpty: true }))
      .at(5)
      .doc("Key usages of the certificate, such as digital signature, key encipherment, client auth or server auth."),
    extra: elided(map(list(string(), { wrapped: true })))
      .at(6)
      .doc("Further information about that user; set by the server."),
    signerName: optional(string()).at(7).doc("Which signer should issue the certificate, as a domain and a name."),
  },
  {
    defaults(spec, environment) {
      spec.usages ??= ["digital signature", "key encipherment"];
      spec.signerName ??= defaultSigner(spec.request, spec.usages, environment);
    },
  },
);

const CertificateSigningRequestStatus = struct("certificates.v1beta1.CertificateSigningRequestStatus", {
  conditions: elided(list(CertificateSigningRequestCondition, { topology: "map", keys: ["type"] }))
    .at(1)
    .doc("Whether the request was approved, denied or could not be signed."),
  certificate: elided(bytes())
    .at(2)
    .openApiAtomic()
    .doc("The issued certificate and its intermediates in PEM form; written once by the signer, after approval."),
});

export const CertificateSigningRequest = version(Hub, {
  version: "v1beta1",
  fields: {
    spec: elided(CertificateSigningRequestSpec)
      .at(2)
      .doc("The desired state of the certificate signing request, set by its users."),
    status: elided(CertificateSigningRequestStatus)
      .at(3)
      .doc("The most recently observed state of the certificate signing request, written by the system."),
  },
  strategy: { validate: () => noErrors },
  subresources: [
    {
      name: "approval",
      verbs: ["get", "patch", "update"],
      resets: ["spec", "status"],
      merge: mergeApproval,
      validate: (next, old, environment) =>
        validateStatusOf(next, old, { strict: false, path: "approval", environment }),
    },
    status({
      resets: ["status"],
      merge: mergeBetaStatus,
      validate: (next: Request, old: Request, environment) =>
        validateStatusOf(next, old, { strict: false, path: "status", environment }),
    }),
  ],
  deprecated: { since: "1.19", removed: "1.22", replacement: "certificates.orch.io/v1 CertificateSigningRequest" },
});
export type CertificateSigningRequest = Static<typeof CertificateSigningRequest>;
