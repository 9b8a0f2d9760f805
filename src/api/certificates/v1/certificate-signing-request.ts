/** A CertificateSigningRequest requests a certificate from a signer. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { humanDuration } from "../../../machinery/table/human-duration.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { conditionText, mergeApproval, mergeStatus, type Request } from "./approval.ts";
import { CertificateSigningRequestSpec, CertificateSigningRequestStatus } from "./request-spec.ts";
import { checkStrictly } from "./strict-rules.ts";
import { validateStatusOf } from "./validate-status.ts";

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
  rulesOnUpdate: false,
  validate: ({ spec }, environment) => checkStrictly(spec, "spec", environment),
  validateUpdate: () => [],
  selectableFields: { "spec.signerName": (request) => request.spec.signerName },
  columns: (column) => [
    nameColumn,
    ageColumn,
    column("SignerName", (request) => request.spec.signerName || "<none>"),
    column("Requestor", (request) => request.spec.username ?? ""),
    column("RequestedDuration", ({ spec }) => durationText(spec.expirationSeconds), { since: "1.22" }),
    column("Condition", conditionText),
  ],
  subresources: [
    {
      name: "approval",
      verbs: ["get", "patch", "update"],
      resets: ["spec", "status"],
      merge: mergeApproval,
      validate: (next, old, environment) =>
        validateStatusOf(next, old, { strict: true, path: "approval", environment }),
    },
    status({
      resets: ["status"],
      merge: mergeStatus,
      validate: (next: Request, old: Request, environment) =>
        validateStatusOf(next, old, { strict: true, path: "status", environment }),
    }),
  ],
});
export type CertificateSigningRequest = Static<typeof CertificateSigningRequest>;

const durationText = (seconds: number | undefined): string =>
  seconds === undefined ? "<none>" : humanDuration(seconds * 1000);
