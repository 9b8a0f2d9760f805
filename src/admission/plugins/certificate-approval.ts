/** Only users who may `approve` for its signer may approve or deny a certificate request. */

import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { maySign } from "../certificate-signer.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, under } from "../on.ts";

export function createCertificateApproval(authorizer: Authorizer, vocabulary: Vocabulary): AdmissionPlugin {
  return plugin("CertificateApproval", [
    on(under(CertificateSigningRequest, "approval"), "UPDATE", {
      async validate(request) {
        const { user, old } = request;
        const { signerName = "" } = old.spec ?? {};
        if (await maySign(authorizer, vocabulary, { user, verb: "approve", signerName })) return;
        throw refuse(request, `user not permitted to approve requests with signerName "${signerName}"`);
      },
    }),
  ]);
}
