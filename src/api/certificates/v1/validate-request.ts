/** Checks of what a certificate request asks for. */

import { parseCertificateRequestPem } from "../../../base/csr.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, invalid, notSupported, required, tooLong } from "../../../machinery/status/field-error.ts";

export const keyUsages = [
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
/** A domain, a slash, and a name of as many labels. */
const signerNameCharsMax = 571;

interface Spec {
  readonly request: string;
  readonly usages?: readonly string[] | null;
  readonly signerName?: string;
}

/** What v1 asks; v1beta1 takes any usages and the signer of old clients. */
export function validateRequestSpec(spec: Spec, strict: boolean, { vocabulary }: Environment): FieldError[] {
  const errors = [...validatePkcs10(spec.request)];
  errors.push(...validateUsages(spec.usages ?? [], strict));
  const signer = spec.signerName ?? "";
  const path = "spec.signerName";
  if (signer === "") return [...errors, required(path)];
  if (strict && signer === vocabulary.word("orch.io/legacy-unknown")) {
    errors.push(invalid(path, signer, "the legacy signerName is not allowed via this API version"));
  }
  return [...errors, ...validateSignerName(signer, path)];
}

function validatePkcs10(request: string): FieldError[] {
  try {
    parseCertificateRequestPem(Buffer.from(request, "base64").toString("latin1"));
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
  return usages.flatMap((usage, index) => {
    const path = `spec.usages[${index}]`;
    if (!known.includes(usage)) return [notSupported(path, usage, known)];
    return usages.indexOf(usage) < index ? [duplicate(path, usage)] : [];
  });
}

export function validateSignerName(signer: string, path: string): FieldError[] {
  const [domain = "", name = "", ...more] = signer.split("/");
  if (name === "" || more.length > 0)
    return [invalid(path, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const errors: FieldError[] = [];
  const labels = domain.split(".");
  if (labels.length < 2)
    errors.push(invalid(path, signer, "should be a domain with at least two segments separated by dots"));
  errors.push(...isDns1123Subdomain(domain).map((problem) => invalid(path, signer, problem)));
  for (const label of name.split("."))
    errors.push(...isDns1123Label(label).map((problem) => invalid(path, signer, problem)));
  if (signer.length > signerNameCharsMax) errors.push(tooLong(path, signer, signerNameCharsMax));
  return errors;
}
