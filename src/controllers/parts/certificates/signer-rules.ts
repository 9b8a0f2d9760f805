/** What each built-in signer requires of a request: its subject, its names and its usages. */

import { type CertificateRequest, parseCertificateRequestPem, verifyCertificateRequest } from "../../../base/csr.ts";
import { commonName, nameValues, oid } from "../../../base/x509.ts";

/** In orch's names. */
export const builtInSigners = [
  "orch.io/orch-apiserver-client",
  "orch.io/orch-apiserver-client-orchlet",
  "orch.io/orchlet-serving",
  "orch.io/legacy-unknown",
] as const;
export type BuiltInSigner = (typeof builtInSigners)[number];

/** The request of `spec.request`, with a verified signature; throws an Error that says what is wrong with it. */
export function readRequest(base64: string): CertificateRequest {
  const request = parseCertificateRequestPem(Buffer.from(base64, "base64").toString("latin1"));
  if (!verifyCertificateRequest(request)) throw new Error("the request is not signed by the key it names");
  return request;
}

/** Why the signer refuses; undefined: it signs. */
export function refusal(
  signer: BuiltInSigner,
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  switch (signer) {
    case "orch.io/orch-apiserver-client":
      return clientRefusal(usages);
    case "orch.io/orch-apiserver-client-orchlet":
      return nodeSubjectRefusal(request) ?? nodeClientRefusal(request, usages);
    case "orch.io/orchlet-serving":
      return nodeSubjectRefusal(request) ?? nodeServingRefusal(request, usages);
    case "orch.io/legacy-unknown":
      return undefined;
  }
}

const clientAuth = "client auth";
const plainUsages = ["key encipherment", "digital signature"];

function clientRefusal(usages: readonly string[]): string | undefined {
  if (!usages.includes(clientAuth)) return `usages did not include "${clientAuth}"`;
  const other = usages.find((usage) => ![...plainUsages, clientAuth].includes(usage));
  return other === undefined ? undefined : `the usage "${other}" is not allowed`;
}

function nodeSubjectRefusal({ subject }: CertificateRequest): string | undefined {
  const organizations = nameValues(subject, oid.organization);
  if (organizations.length !== 1 || organizations[0] !== "system:nodes")
    return 'subject organization must be "system:nodes"';
  return commonName(subject).startsWith("system:node:")
    ? undefined
    : 'subject common name must begin with "system:node:"';
}

function nodeClientRefusal(
  { alternativeNames: names }: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const count = names.dns.length + names.ips.length + names.emails.length + names.uris.length + names.other;
  if (count > 0) return "subject alternative names are not allowed";
  return isExactly(usages, clientAuth) ? undefined : usagesText([clientAuth]);
}

function nodeServingRefusal(
  { alternativeNames: names }: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (names.dns.length + names.ips.length === 0) return "a DNS name or an IP address is required";
  if (names.emails.length + names.uris.length + names.other > 0)
    return "subject alternative names must be DNS names or IP addresses";
  // Existing agents request the usage server auth, which the certificate needs.
  return ["server auth", clientAuth].some((purpose) => isExactly(usages, purpose))
    ? undefined
    : usagesText(["server auth", clientAuth]);
}

function isExactly(usages: readonly string[], purpose: string): boolean {
  const wanted = [...plainUsages, purpose];
  return new Set(usages).size === wanted.length && wanted.every((usage) => usages.includes(usage));
}

const usagesText = (purposes: readonly string[]) =>
  `usages must be exactly "key encipherment", "digital signature" and ${purposes.map((each) => `"${each}"`).join(" or ")}`;
