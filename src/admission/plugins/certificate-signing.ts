/** Lets only those write the certificate or conditions of a request who may `sign` for its signer. */

import { isDeepStrictEqual } from "node:util";
import type { Authorizer } from "../../authz/contract.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { forbiddenRequest } from "../../machinery/status/status.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { isCertificateRequest, signerOf } from "./certificate-request.ts";
import { maySign } from "./certificate-signer.ts";

export function createCertificateSigning(authorizer: Authorizer, vocabulary: Vocabulary): AdmissionPlugin {
  return {
    name: "CertificateSigning",
    handles: (request) =>
      request.operation === "UPDATE" && request.subresource === "status" && isCertificateRequest(request, vocabulary),
    async validate({ user, kind, name, object, old }) {
      if (isDeepStrictEqual(signed(object), signed(old))) return;
      const signerName = signerOf(old);
      if (await maySign(authorizer, vocabulary, { user, verb: "sign", signerName })) return;
      throw forbiddenRequest(
        { group: kind.group, kind: kind.resource },
        name,
        `user "${user.name}" may not sign requests to the signer "${signerName}"`,
      );
    },
  };
}

/** What only a signer may change. Absent and empty are the same. */
function signed(request: ApiObject | undefined): { certificate: string; conditions: readonly unknown[] } {
  // Validated by the declaration.
  const status = (request?.status ?? {}) as { certificate?: string; conditions?: readonly unknown[] | null };
  return { certificate: status.certificate ?? "", conditions: status.conditions ?? [] };
}
