/** Writes into a certificate request who made it; what a client says about that itself counts for nothing. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { isCertificateRequest } from "./certificate-request.ts";

/** Not one of the plugins that can be chosen: every server has it. */
export function createCertificateRequester(vocabulary: Vocabulary): AdmissionPlugin {
  return {
    name: "CertificateRequester",
    handles: (request) =>
      request.operation === "CREATE" && request.subresource === "" && isCertificateRequest(request, vocabulary),
    mutate({ object, user }) {
      if (object === undefined) return;
      const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...rest } = specOf(object);
      object.spec = {
        ...rest,
        ...(user.name === "" ? {} : { username: user.name }),
        ...(user.uid === "" ? {} : { uid: user.uid }),
        ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
        // Keys come from credentials, so one may be called `__proto__`: entries are defined, not assigned.
        ...(user.extra.size === 0
          ? {}
          : { extra: Object.fromEntries([...user.extra].map(([key, values]) => [key, [...values]])) }),
      };
    },
  };
}

function specOf(object: ApiObject): Record<string, unknown> {
  return (object.spec ?? {}) as Record<string, unknown>; // decoded by the declaration
}
