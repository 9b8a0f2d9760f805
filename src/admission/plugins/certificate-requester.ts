/** Sets the requester of a certificate request to the caller, whatever the client wrote there. */

import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

/** Not one of the plugins that can be chosen: every server has it. */
export function createCertificateRequester(): AdmissionPlugin {
  return plugin("CertificateRequester", [
    on(CertificateSigningRequest, "CREATE", {
      mutate({ object, user }) {
        const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...rest } = object.spec;
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
    }),
  ]);
}
