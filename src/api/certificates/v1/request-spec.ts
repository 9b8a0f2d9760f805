/** The fields of certificate requests. */

import { parseCertificateRequestPem, verifyCertificateRequest } from "../../../base/csr.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
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
import {
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  tooLong,
} from "../../../machinery/status/field-error.ts";

const domainCharsMax = 253;
/** A domain, a slash, a namespace, a dot, and the name of an object. */
const signerNameCharsMax = domainCharsMax + 1 + 63 + 1 + 253;

export const CertificateSigningRequestCondition = struct("certificates.v1.CertificateSigningRequestCondition", {
  type: string().at(1).doc("Approved, Denied or Failed; Approved and Denied exclude each other and are never removed."),
  reason: elided(string()).at(2).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(3).doc("A sentence for people about the last change; may be empty."),
  lastUpdateTime: elided(time()).at(4).doc("When the condition was last written, even if status stayed the same."),
  lastTransitionTime: elided(time()).at(5).doc("When status last changed from one value to another."),
  status: string()
    .at(6)
    .openApiEnum("none")
    .required()
    .oneOf(["True", "False", "Unknown"])
    .doc("Must be True for Approved, Denied and Failed."),
});
export type CertificateSigningRequestCondition = Static<typeof CertificateSigningRequestCondition>;

export const keyUsages = [
  ...["signing", "digital signature", "content commitment", "key encipherment", "key agreement", "data encipherment"],
  ...["cert sign", "crl sign", "encipher only", "decipher only", "any", "server auth", "client auth", "code signing"],
  ...["email protection", "s/mime", "ipsec end system", "ipsec tunnel", "ipsec user", "timestamping", "ocsp signing"],
  ...["microsoft sgc", "netscape sgc"],
];

export const CertificateSigningRequestSpec = struct("certificates.v1.CertificateSigningRequestSpec", {
  request: bytes()
    .at(1)
    .before("1.35", (bytes) => bytes.openApiAtomic())
    .checked(validatePkcs10)
    .evenEmpty()
    .doc("The PKCS#10 certificate request in PEM form, as base64. Required, and cannot be changed."),
  username: elided(string()).at(2).doc("The user that created the request; set by the server."),
  uid: elided(string()).at(3).doc("The uid of that user; set by the server."),
  groups: elided(list(string(), { topology: "atomic" }))
    .at(4)
    .doc("The groups of that user; set by the server."),
  usages: elided(list(string().openApiEnum(keyUsages), { topology: "atomic" }))
    .at(5)
    .required("usages is required")
    .doc("Key usages of the certificate, such as digital signature, key encipherment, client auth or server auth."),
  extra: elided(map(list(string(), { wrapped: true })))
    .at(6)
    .doc("Further information about that user; set by the server."),
  signerName: string()
    .at(7)
    .required()
    .checked(validateSignerName)
    .doc("Which signer should issue the certificate, as a domain and a name."),
  expirationSeconds: optional(int32())
    .at(8)
    .since("1.22")
    .atLeast(600)
    .doc("How long the certificate should be valid, at least 600 seconds; the signer may decide otherwise."),
});
export type CertificateSigningRequestSpec = Static<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestStatus = struct("certificates.v1.CertificateSigningRequestStatus", {
  conditions: elided(list(CertificateSigningRequestCondition, { topology: "map", keys: ["type"] }))
    .at(1)
    .doc("Whether the request was approved, denied or could not be signed."),
  certificate: elided(bytes())
    .at(2)
    .before("1.35", (bytes) => bytes.openApiAtomic())
    .doc("The issued certificate and its intermediates in PEM form; written once by the signer, after approval."),
});
export type CertificateSigningRequestStatus = Static<typeof CertificateSigningRequestStatus>;

function validatePkcs10(request: string): FieldErrors {
  try {
    const parsed = parseCertificateRequestPem(Buffer.from(request, "base64").toString("latin1"));
    if (!verifyCertificateRequest(parsed)) throw new Error("the request is not signed with the key it is for");
    return noErrors;
  } catch (error) {
    // The parser throws Errors whose text is for people.
    return [invalid("", "<request>", (error as Error).message)];
  }
}

/** A domain whose labels are in bounds, a slash, and a name such as that of an object behind its namespace. */
export function validateSignerName(signer: string, path: string): FieldErrors {
  const [domain = "", name = "", ...more] = signer.split("/");
  if (!signer.includes("/") || more.length > 0)
    return [invalid(path, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const errors: FieldError[] = [];
  const labels = domain.split(".");
  if (domain.length > domainCharsMax) errors.push(tooLong(path, domain, domainCharsMax));
  if (labels.length < 2)
    errors.push(invalid(path, signer, "should be a domain with at least two segments separated by dots"));
  const problems = [firstProblem(labels, isDns1123Label), firstProblem(name.split("."), isDns1123Subdomain)];
  for (const problem of problems) if (problem !== undefined) errors.push(invalid(path, signer, problem));
  if (signer.length > signerNameCharsMax) errors.push(tooLong(path, signer, signerNameCharsMax));
  return errors;
}

function firstProblem(parts: readonly string[], problemsOf: (part: string) => readonly string[]): string | undefined {
  for (const part of parts) {
    const [problem] = problemsOf(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
