/** Lets only those approve or deny a certificate request who may `approve` for its signer. */

import type { Authorizer } from "../../authz/contract.ts";
import { forbiddenRequest } from "../../machinery/status/status.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { isCertificateRequest, signerOf } from "./certificate-request.ts";
import { maySign } from "./certificate-signer.ts";

export function createCertificateApproval(authorizer: Authorizer, vocabulary: Vocabulary): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    handles: (request) =>
      request.operation === "UPDATE" && request.subresource === "approval" && isCertificateRequest(request, vocabulary),
    async validate({ user, kind, name, old }) {
      const signerName = signerOf(old);
      if (await maySign(authorizer, vocabulary, { user, verb: "approve", signerName })) return;
      throw forbiddenRequest(
        { group: kind.group, kind: kind.resource },
        name,
        `user "${user.name}" may not approve requests to the signer "${signerName}"`,
      );
    },
  };
}
