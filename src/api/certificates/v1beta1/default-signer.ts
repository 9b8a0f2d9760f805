/** Chooses the signer that old clients mean but do not name. */

import { type CertificateRequest, parseCertificateRequestPem } from "../../../base/csr.ts";
import { commonName, nameValues, oid } from "../../../base/x509.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";

export function defaultSigner(request: string, usages: readonly string[], { vocabulary }: Environment): string {
  let parsed: CertificateRequest;
  try {
    parsed = parseCertificateRequestPem(Buffer.from(request, "base64").toString("latin1"));
  } catch {
    return vocabulary.word("orch.io/legacy-unknown"); // validation reports what is wrong with it
  }
  if (isOfNode(parsed)) {
    const names = parsed.alternativeNames;
    const hosts = names.dns.length + names.ips.length;
    const others = names.emails.length + names.uris.length + names.other;
    if (hosts + others === 0 && isExactly(usages, "client auth"))
      return vocabulary.word("orch.io/orch-apiserver-client-orchlet");
    if (hosts > 0 && others === 0 && isExactly(usages, "server auth"))
      return vocabulary.word("orch.io/orchlet-serving");
  }
  return vocabulary.word("orch.io/legacy-unknown");
}

function isOfNode({ subject }: CertificateRequest): boolean {
  const organizations = nameValues(subject, oid.organization);
  return (
    organizations.length === 1 && organizations[0] === "system:nodes" && commonName(subject).startsWith("system:node:")
  );
}

function isExactly(usages: readonly string[], purpose: string): boolean {
  const wanted = ["digital signature", "key encipherment", purpose];
  return usages.length === wanted.length && wanted.every((usage) => usages.includes(usage));
}
