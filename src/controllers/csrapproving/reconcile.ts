/** Which permission allows a request for a node's client certificate to be approved automatically. */

import type { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { commonName } from "../../base/x509.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { hasCondition } from "../parts/certificates/conditions.ts";
import { readRequest, refusal } from "../parts/certificates/signer-rules.ts";

const signer = "orch.io/orch-apiserver-client-orchlet";

/** Subresources to check, in order; the right to create one of them is enough. None: not for this controller. */
export function permissionsToAsk(request: CertificateSigningRequest, vocabulary: Vocabulary): readonly string[] {
  const { spec, status } = request;
  if (spec.signerName !== vocabulary.word(signer)) return [];
  if ((status?.certificate ?? "") !== "" || hasCondition(request, "Approved") || hasCondition(request, "Denied"))
    return [];
  try {
    const asked = readRequest(spec.request);
    if (refusal(signer, asked, spec.usages ?? []) !== undefined) return [];
    return commonName(asked.subject) === spec.username ? ["selfnodeclient", "nodeclient"] : ["nodeclient"];
  } catch {
    return []; // an unreadable request is not approved
  }
}
