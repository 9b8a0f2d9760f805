/** Checks of the spec of a certificate request that depend on the version. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import {
  duplicate,
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  together,
} from "../../../machinery/status/field-error.ts";
import { repeats } from "../../validation.ts";
import type { CertificateSigningRequestSpec } from "./request-spec.ts";

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

/** What v1 refuses and v1beta1 accepts: unknown usages, and the signer of old clients. */
export function validateStrictly(spec: CertificateSigningRequestSpec, { vocabulary }: Environment): FieldErrors {
  return together(
    validateUsages(spec.usages ?? []),
    spec.signerName === vocabulary.word("orch.io/legacy-unknown")
      ? [invalid("spec.signerName", spec.signerName, "the legacy signerName is not allowed via this API version")]
      : noErrors,
  );
}

function validateUsages(usages: readonly string[]): FieldErrors {
  const known: readonly string[] = keyUsages;
  const repeated = repeats(usages);
  return ofEach(usages, (usage, index) => {
    const path = `spec.usages[${index}]`;
    return [
      ...(known.includes(usage) ? [] : [notSupported(path, usage, known)]),
      ...(repeated.has(index) ? [duplicate(path, usage)] : []),
    ];
  });
}
