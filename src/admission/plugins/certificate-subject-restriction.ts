/** Refuses requests to the signer of client certificates for the group system:masters. */

import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { parseCertificateRequestPem } from "../../base/csr.ts";
import { nameValues, oid } from "../../base/x509.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn } from "../on.ts";

const mastersGroup = "system:masters";

export function createCertificateSubjectRestriction(vocabulary: Vocabulary): AdmissionPlugin {
  const signer = vocabulary.word("orch.io/orch-apiserver-client");
  return plugin("CertificateSubjectRestriction", [
    on(CertificateSigningRequest, "CREATE", {
      validate(request) {
        if (request.object.spec?.signerName !== signer) return;
        if (!organizations(request).includes(mastersGroup)) return;
        throw refuse(request, `the signer "${signer}" does not issue certificates for the group "${mastersGroup}"`);
      },
    }),
  ]);
}

function organizations(request: RequestOn<CertificateSigningRequest, "CREATE">): readonly string[] {
  const encoded = request.object.spec?.request ?? "";
  try {
    const { subject } = parseCertificateRequestPem(Buffer.from(encoded, "base64").toString("utf8"));
    return nameValues(subject, oid.organization);
  } catch (cause) {
    throw refuse(request, `the request cannot be read: ${cause instanceof Error ? cause.message : cause}`);
  }
}
