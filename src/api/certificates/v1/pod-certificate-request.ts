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
import { type FieldErrors, invalid, noErrors, notSupported } from "../../../machinery/status/field-error.ts";
import { nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";
import { checkIssued, checkLifetime, checkStub, checkUserAnnotations } from "./pod-certificate-rules.ts";
import { validateSignerName } from "./request-spec.ts";

const uidCharsMax = 128;
const stubBytesMax = 10 * 1024;
const outcomes = ["Denied", "Failed", "Issued"];

const uid = () =>
  string()
    .max(uidCharsMax)
    .named((text) => (text === "" ? ["must not be empty"] : []))
    .evenEmpty();
const name = () => string().named("subdomain").evenEmpty();

const PodCertificateRequestSpec = struct("certificates.v1.PodCertificateRequestSpec", {
  signerName: string().at(1).required().checked(validateSignerName).doc("The signer that is asked."),
  podName: name().at(2).doc("The pod that gets the certificate."),
  podUID: uid().at(3).doc("The uid of the pod."),
  serviceAccountName: name().at(4).doc("The service account of the pod."),
  serviceAccountUID: uid().at(5).doc("The uid of the service account."),
  nodeName: name().at(6).doc("The node of the pod."),
  nodeUID: uid().at(7).doc("The uid of the node."),
  maxExpirationSeconds: optional(int32())
    .at(8)
    .openApiDefault(24 * 60 * 60)
    .required()
    .doc("How long the certificate may be valid at most, from an hour to 91 days. Default: 86400."),
  unverifiedUserAnnotations: elided(map(string()))
    .at(11)
    .checked(checkUserAnnotations)
    .doc("Facts for the signer, which the server has not checked."),
  stubPKCS10Request: bytes()
    .at(12)
    .max(stubBytesMax)
    .checked(checkStub)
    .evenEmpty()
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

const checkStatus = checker(PodCertificateRequestStatus, [on(PodCertificateRequestStatus, checkConditions)]);

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
  validate: ({ spec: { maxExpirationSeconds, signerName } }, { vocabulary }) =>
    maxExpirationSeconds === undefined
      ? noErrors
      : checkLifetime(maxExpirationSeconds, {
          ...{ signerName, domain: vocabulary.word("orch.io"), path: "spec.maxExpirationSeconds" },
        }),
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
      validate: (now, old, environment) => {
        const problems = checkStatus(now.status ?? {}, "status", environment);
        return problems.length > 0 ? problems : checkAnswer(now, old, environment.clock.now());
      },
    }),
  ],
});
export type PodCertificateRequest = Static<typeof PodCertificateRequest>;

interface Answered {
  readonly spec: Static<typeof PodCertificateRequestSpec>;
  readonly status?: PodCertificateRequestStatus;
}

const outcomeOf = (conditions: readonly Condition[]): string | undefined =>
  conditions.find(({ type }) => outcomes.includes(type))?.type;

/** At most one of the known conditions, and no other. */
function checkConditions({ conditions = [] }: PodCertificateRequestStatus): FieldErrors {
  return conditions.flatMap(({ type, status: value }, index) => {
    // The reference names the place in the list like a member.
    const path = `conditions.[${index}]`;
    if (!outcomes.includes(type)) return [notSupported(`${path}.type`, type, outcomes)];
    const second =
      index > 0 ? [invalid(`${path}.type`, type, "must be the only one of Denied, Failed and Issued")] : [];
    return value === "True" ? second : [...second, notSupported(`${path}.status`, value, ["True"])];
  });
}

/** A request is answered once. */
function checkAnswer({ spec, status: now = {} }: Answered, { status: old = {} }: Answered, nowMs: number): FieldErrors {
  const fixed = (text: string) => (sameValue(now, old) ? noErrors : [invalid("status", "<value omitted>", text)]);
  if (outcomeOf(old.conditions ?? []) !== undefined) return fixed("a request that has been answered cannot be changed");
  const outcome = outcomeOf(now.conditions ?? []);
  if (outcome === undefined) return fixed("can only be changed together with Denied, Failed or Issued");
  const { conditions: _, ...others } = now;
  if (outcome === "Issued") {
    const asked = { stub: spec.stubPKCS10Request, secondsMax: spec.maxExpirationSeconds ?? 0 };
    return checkIssued(others, asked, nowMs);
  }
  const isBare = Object.values(others).every((value) => value === undefined || value === null || value === "");
  return isBare
    ? noErrors
    : [invalid("status", "<value omitted>", `a request that is ${outcome} has conditions alone`)];
}
