/** Only users who may `sign` for its signer may write the certificate or conditions of a request. */

import { isDeepStrictEqual } from "node:util";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { PodCertificateRequest } from "../../api/certificates/v1/pod-certificate-request.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { maySign } from "../certificate-signer.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, under } from "../on.ts";

export function createCertificateSigning(authorizer: Authorizer, vocabulary: Vocabulary): AdmissionPlugin {
  return plugin("CertificateSigning", [
    on(under(CertificateSigningRequest, "status"), "UPDATE", {
      async validate(request) {
        const { user, object, old } = request;
        if (isDeepStrictEqual(signed(object), signed(old))) return;
        const { signerName = "" } = old.spec ?? {};
        if (await maySign(authorizer, vocabulary, { user, verb: "sign", signerName })) return;
        throw refuse(request, `user "${user.name}" may not sign requests to the signer "${signerName}"`);
      },
    }),
    on(under(PodCertificateRequest, "status"), "UPDATE", {
      async validate(request) {
        const { user, object, old } = request;
        if (isDeepStrictEqual(object.status, old.status)) return;
        const { signerName } = old.spec;
        if (await maySign(authorizer, vocabulary, { user, verb: "sign", signerName })) return;
        throw refuse(request, `user "${user.name}" may not sign requests to the signer "${signerName}"`);
      },
    }),
  ]);
}

/** The fields that only a signer may change. Absent and empty are the same. */
function signed({ status }: CertificateSigningRequest): { certificate: string; conditions: readonly unknown[] } {
  return { certificate: status?.certificate ?? "", conditions: status?.conditions ?? [] };
}
