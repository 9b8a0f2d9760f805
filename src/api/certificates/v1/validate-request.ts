/** Checks of the spec of a certificate request. */

import { parseCertificateRequestPem, verifyCertificateRequest } from "../../../base/csr.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, duplicate, invalid, notSupported, required, tooLong } from "../../../machinery/status/field-error.ts";
import { repeats } from "../../validation.ts";

const keyUsages = [
  "signing",
  "digital signature",
  "content commitment",
  "key encipherment",
  "key agreement",
  "data encipherment",
  "cert sign",
  "crl sign",
  "encipher only",
  "decipher only",
  "any",
  "server auth",
  "client auth",
  "code signing",
  "email protection",
  "s/mime",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "timestamping",
  "ocsp signing",
  "microsoft sgc",
  "netscape sgc",
] as const;
const domainCharsMax = 253;
/** A domain, a slash, a namespace, a dot, and the name of an object. */
export const signerNameCharsMax = domainCharsMax + 1 + 63 + 1 + 253;

interface Spec {
  readonly request: string;
  readonly usages?: readonly string[] | null;
  readonly signerName?: string;
}

/** The rules of v1; v1beta1 accepts any usages and the signer of old clients. */
export function validateRequestSpec(spec: Spec, strict: boolean, { vocabulary }: Environment): FieldError[] {
  const errors = [...validatePkcs10(spec.request)];
  addTo(errors, validateUsages(spec.usages ?? [], strict));
  const signer = spec.signerName ?? "";
  const path = "spec.signerName";
  if (signer === "") return [...errors, required(path)];
  if (strict && signer === vocabulary.word("orch.io/legacy-unknown")) {
    errors.push(invalid(path, signer, "the legacy signerName is not allowed via this API version"));
  }
  return [...errors, ...validateSignerName(signer, path)];
}

/** Absent bytes are null, as v1.21 prints them. */
function validatePkcs10(request: string | null): FieldError[] {
  try {
    const parsed = parseCertificateRequestPem(Buffer.from(request ?? "", "base64").toString("latin1"));
    if (!verifyCertificateRequest(parsed)) throw new Error("the request is not signed with the key it is for");
    return [];
  } catch (error) {
    // The parser throws Errors whose text is for people.
    return [invalid("spec.request", "<request>", (error as Error).message)];
  }
}

function validateUsages(usages: readonly string[], strict: boolean): FieldError[] {
  if (usages.length === 0) return [required("spec.usages", "usages is required")];
  if (!strict) return [];
  const known: readonly string[] = keyUsages;
  const repeated = repeats(usages);
  return usages.flatMap((usage, index) => {
    const path = `spec.usages[${index}]`;
    return [
      ...(known.includes(usage) ? [] : [notSupported(path, usage, known)]),
      ...(repeated.has(index) ? [duplicate(path, usage)] : []),
    ];
  });
}

/** A domain whose labels are in bounds, a slash, and a name such as that of an object behind its namespace. */
function validateSignerName(signer: string, path: string): FieldError[] {
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
