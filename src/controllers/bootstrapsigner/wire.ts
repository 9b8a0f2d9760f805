/** bootstrapsigner: signs cluster-info with every bootstrap token, so that holders of a token can trust it. */

import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { Controller } from "../contract.ts";
import { signingToken, timeLeft } from "../parts/bootstrap-tokens/secrets.ts";
import { clusterInfoName, planClusterInfo, signingKey } from "./reconcile.ts";

export const bootstrapSigner: Controller = {
  name: "bootstrapsigner",
  offByDefault: true,
  account: "bootstrap-signer",
  start({ informers, vocabulary, has, clock, settings: { clusterInfo }, queue: createQueue }) {
    const secretAlone = has("secretSignatures");
    const namespace = vocabulary.word("orch-public");
    const type = vocabulary.word("bootstrap.orch.io/token");
    const maps = informers.of(ConfigMap, { namespace, fieldSelector: `metadata.name=${clusterInfoName}` });
    const secrets = informers.of(Secret, {
      namespace: vocabulary.word("orch-system"),
      fieldSelector: `type=${type}`,
    });
    /** Since when a token has waited for cluster-info. */
    let missingSince: number | undefined;
    const queue = createQueue({
      workers: 1,
      after: [maps, secrets],
      sync() {
        const known = maps.get(`${namespace}/${clusterInfoName}`);
        const now = clock.now();
        const tokens = secrets.list().flatMap((secret) => signingToken(secret, type, now) ?? []);
        missingSince = known === undefined && tokens.length > 0 ? (missingSince ?? clock.monotonic()) : undefined;
        const missingMs = missingSince === undefined ? 0 : clock.monotonic() - missingSince;
        const keys = tokens.map((token) => signingKey(token, vocabulary, secretAlone));
        // A token that expires loses its signature even if it is never deleted.
        const left = secrets.list().flatMap((secret) => timeLeft(secret, now) ?? []);
        const nextMs = Math.min(...left.filter((ms) => ms > 0));
        return {
          reviewInMs: Number.isFinite(nextMs) ? nextMs : undefined,
          next: () => planClusterInfo({ known, namespace, clusterInfo, missingMs, tokens: keys }),
        };
      },
    });
    const changed = () => queue.add(clusterInfoName);
    maps.on({ add: changed, update: changed, delete: changed });
    secrets.on({ add: changed, update: changed, delete: changed });
    return queue;
  },
};
