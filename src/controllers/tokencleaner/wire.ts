/** tokencleaner: bootstrap tokens that have ended are deleted. */

import { Secret } from "../../api/core/v1/secret.ts";
import { splitKey } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { timeLeft } from "../parts/bootstrap-tokens/secrets.ts";

export const tokenCleaner: Controller = {
  name: "tokencleaner",
  offByDefault: true,
  account: "token-cleaner",
  start({ client, informers, vocabulary, clock, queue: createQueue }) {
    const secrets = informers.of(Secret, {
      namespace: vocabulary.word("orch-system"),
      fieldSelector: `type=${vocabulary.word("bootstrap.orch.io/token")}`,
    });
    const queue = createQueue({
      workers: 10,
      after: [secrets],
      async sync(key) {
        const secret = secrets.get(key);
        const leftMs = secret && timeLeft(secret, clock.now());
        if (secret === undefined || leftMs === undefined) return;
        if (leftMs > 0) return queue.addAfter(key, leftMs);
        const { uid, resourceVersion } = secret.metadata;
        await ifThere(
          client.of(Secret).delete(splitKey(key), { uid, resourceVersion, reason: "the token has expired" }),
        );
      },
    });
    secrets.on(enqueueChanged(queue));
    return queue;
  },
};
