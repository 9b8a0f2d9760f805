/** tokencleaner: bootstrap tokens that have ended are deleted. */

import { Secret } from "../../api/core/v1/secret.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { planTokenCleaning } from "./reconcile.ts";

export const tokenCleaner: Controller = {
  name: "tokencleaner",
  offByDefault: true,
  account: "token-cleaner",
  start({ informers, vocabulary, clock, queue: createQueue }) {
    const secrets = informers.of(Secret, {
      namespace: vocabulary.word("orch-system"),
      fieldSelector: `type=${vocabulary.word("bootstrap.orch.io/token")}`,
    });
    const queue = createQueue({
      workers: 10,
      after: [secrets],
      sync(key) {
        const secret = secrets.get(key);
        return secret && planTokenCleaning(secret, clock.now());
      },
    });
    secrets.on(enqueueChanged(queue));
    return queue;
  },
};
