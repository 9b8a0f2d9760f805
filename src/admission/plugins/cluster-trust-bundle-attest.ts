/** Only users who may `attest` for a signer may write its ClusterTrustBundles. */

import { ClusterTrustBundle } from "../../api/certificates/v1/cluster-trust-bundle.ts";
import { maySign } from "../certificate-signer.ts";
import type { AdmissionContext } from "../context.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

export function createClusterTrustBundleAttest({ authorizer, catalog }: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = catalog.environment;
  return plugin("ClusterTrustBundleAttest", [
    on(ClusterTrustBundle, ["CREATE", "UPDATE"], {
      async validate(request) {
        const { user, object, old } = request;
        const { signerName = "" } = object.spec;
        // A change of metadata, such as the removal of a finalizer, vouches for nothing.
        const isSame = old !== undefined && old.spec.trustBundle === object.spec.trustBundle;
        if (signerName === "" || isSame) return;
        if (await maySign(authorizer, vocabulary, { user, verb: "attest", signerName })) return;
        throw refuse(request, `user not permitted to attest for signerName "${signerName}"`);
      },
    }),
  ]);
}
