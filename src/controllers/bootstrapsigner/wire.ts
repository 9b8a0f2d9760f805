/** bootstrapsigner: signs cluster-info with every bootstrap token, so that holders of a token can trust it. */

import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { signingToken, timeLeft } from "../parts/bootstrap-tokens/secrets.ts";
import { signClusterInfo } from "./reconcile.ts";

const clusterInfo = "cluster-info";

export const bootstrapSigner: Controller = {
  name: "bootstrapsigner",
  offByDefault: true,
  account: "bootstrap-signer",
  start({ client, informers, vocabulary, clock, queue: createQueue }) {
    const namespace = vocabulary.word("orch-public");
    const type = vocabulary.word("bootstrap.orch.io/token");
    const maps = informers.of(ConfigMap, { namespace, fieldSelector: `metadata.name=${clusterInfo}` });
    const secrets = informers.of(Secret, {
      namespace: vocabulary.word("orch-system"),
      fieldSelector: `type=${type}`,
    });
    const queue = createQueue({
      workers: 1,
      after: [maps, secrets],
      async sync(key) {
        const known = maps.get(`${namespace}/${clusterInfo}`);
        if (known === undefined) return;
        const now = clock.now();
        const tokens = secrets.list().flatMap((secret) => signingToken(secret, type, now) ?? []);
        const data = signClusterInfo(known.data, tokens);
        if (data !== undefined) await ifThere(client.of(ConfigMap).update({ ...known, data: { ...data } }));
        // A token that expires loses its signature even if it is never deleted.
        const left = secrets.list().flatMap((secret) => timeLeft(secret, now) ?? []);
        const next = Math.min(...left.filter((ms) => ms > 0));
        if (Number.isFinite(next)) queue.addAfter(key, next);
      },
    });
    const changed = () => queue.add(clusterInfo);
    maps.on({ add: changed, update: changed });
    secrets.on({ add: changed, update: changed, delete: changed });
    return queue;
  },
};
