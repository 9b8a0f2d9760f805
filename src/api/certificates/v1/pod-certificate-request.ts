/** A PodCertificateRequest asks a signer for a certificate of one pod. Node agents write them, signers answer in the status. */

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
import { checker, on } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type FieldErrors, forbidden, invalid, noErrors, notSupported } from "../../../machinery/status/field-error.ts";
import { nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";
import { certificateProblem } from "./certificate-problem.ts";
import { validateSignerName } from "./request-spec.ts";

const secondsMin = 60 * 60;
const secondsMax = 91 * 24 * 60 * 60;
const uidCharsMax = 128;
const stubBytesMax = 10 * 1024;
const outcomes = ["Denied", "Failed", "Issued"];

const uid = () => string().required().max(uidCharsMax);

const PodCertificateRequestSpec = struct("certificates.v1.PodCertificateRequestSpec", {
  signerName: string().at(1).required().checked(validateSignerName).doc("The signer that is asked."),
  podName: string().at(2).required().named("subdomain").doc("The pod that gets the certificate."),
  podUID: uid().at(3).doc("The uid of the pod."),
  serviceAccountName: string().at(4).required().named("subdomain").doc("The service account of the pod."),
  serviceAccountUID: uid().at(5).doc("The uid of the service account."),
  nodeName: string().at(6).required().named("subdomain").doc("The node of the pod."),
  nodeUID: uid().at(7).doc("The uid of the node."),
  maxExpirationSeconds: optional(int32())
    .at(8)
    .openApiDefault(24 * 60 * 60)
    .required()
    .atLeast(secondsMin)
    .atMost(secondsMax)
    .doc("How long the certificate may be valid at most, from an hour to 91 days. Default: 86400."),
  unverifiedUserAnnotations: elided(map(string()))
    .at(11)
    .doc("Facts for the signer, which the server has not checked."),
  stubPKCS10Request: bytes()
    .at(12)
    .required()
    .max(stubBytesMax)
    .doc("A PKCS#10 request in DER form, as base64, whose key the certificate is for."),
});

const PodCertificateRequestStatus = struct("certificates.v1.PodCertificateRequestStatus", {
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(1)
    .uniqueBy("type")
    .doc("What became of the request: Issued, Denied or Failed."),
  certificateChain: elided(string()).at(2).doc("The certificate and its intermediates in PEM form, once it is issued."),
  notBefore: optional(time()).at(4).doc("From when the certificate is valid."),
  beginRefreshAt: optional(time()).at(5).doc("When the node agent should ask for the next one."),
  notAfter: optional(time()).at(6).doc("Until when the certificate is valid."),
});
type PodCertificateRequestStatus = Static<typeof PodCertificateRequestStatus>;

const checkStatus = checker(PodCertificateRequestStatus, [on(PodCertificateRequestStatus, checkOutcome)]);

export const PodCertificateRequest = kind({
  group: "certificates.orch.io",
  version: "v1",
  since: "1.37",
  behind: "PodCertificateRequest",
  kind: "PodCertificateRequest",
  resource: "podcertificaterequests",
  scope: "Namespaced",
  doc: "A PodCertificateRequest asks a signer for a certificate of one pod.",
  fields: {
    spec: PodCertificateRequestSpec.at(2).immutable().doc("Who needs a certificate, and from whom; cannot be changed."),
    status: elided(PodCertificateRequestStatus).at(3).doc("The answer of the signer."),
  },
  unconditionalUpdate: false,
  selectableFields: {
    "spec.signerName": ({ spec }) => spec.signerName,
    "spec.podName": ({ spec }) => spec.podName,
    "spec.nodeName": ({ spec }) => spec.nodeName,
  },
  columns: (column) => [
    nameColumn,
    column("PodName", ({ spec }) => spec.podName),
    column("ServiceAccountName", ({ spec }) => spec.serviceAccountName),
    column("NodeName", ({ spec }) => spec.nodeName),
    column("SignerName", ({ spec }) => spec.signerName),
    column("State", ({ status: { conditions = [] } = {} }) => outcomeOf(conditions) ?? "Pending"),
    column("UnverifiedUserAnnotations", ({ spec }) =>
      Object.entries(spec.unverifiedUserAnnotations ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(","),
    ),
  ],
  subresources: [
    status<Answered>({
      validate: ({ status: now = {} }, { status: old = {} }, environment) =>
        outcomeOf(old.conditions ?? []) !== undefined && !sameValue(now, old)
          ? [forbidden("status", "a request that has been answered cannot be changed")]
          : checkStatus(now, "status", environment),
    }),
  ],
});
export type PodCertificateRequest = Static<typeof PodCertificateRequest>;

interface Answered {
  readonly status?: PodCertificateRequestStatus;
}

const outcomeOf = (conditions: readonly Condition[]): string | undefined =>
  conditions.find(({ type }) => outcomes.includes(type))?.type;

function checkOutcome({ conditions = [], certificateChain = "" }: PodCertificateRequestStatus): FieldErrors {
  const unknown = conditions.flatMap(({ type }, index) =>
    outcomes.includes(type) ? [] : [notSupported(`conditions[${index}].type`, type, outcomes)],
  );
  if (unknown.length > 0) return unknown;
  if (conditions.length > 1) return [invalid("conditions", conditions, "must have one of Denied, Failed and Issued")];
  const index = conditions.findIndex(({ status: value }) => value !== "True");
  if (index >= 0) return [notSupported(`conditions[${index}].status`, conditions[index]?.status ?? "", ["True"])];
  const isIssued = conditions[0]?.type === "Issued";
  if (!isIssued) return certificateChain === "" ? noErrors : [forbidden("certificateChain", "only with Issued")];
  const problem = certificateProblem(Buffer.from(certificateChain).toString("base64"));
  if (certificateChain === "") return [invalid("certificateChain", "", "must contain at least one certificate")];
  return problem === undefined ? noErrors : [invalid("certificateChain", "<value omitted>", problem)];
}
