/** legacy-service-account-token-cleaner: tokens in Secrets that are no longer used become invalid, and are deleted later. */

import { podReferences } from "../../api/core/v1/pod/references.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { Controller } from "../contract.ts";
import { accountOf, tokenNames } from "../serviceaccount-token/reconcile.ts";
import { planTokens } from "./reconcile.ts";

export const legacyServiceAccountTokenCleaner: Controller = {
  name: "legacy-service-account-token-cleaner",
  since: "1.28",
  account: "legacy-service-account-token-cleaner",
  start({ informers, vocabulary, settings, clock, queue: createQueue }) {
    const names = tokenNames(vocabulary);
    const accounts = informers.of(ServiceAccount);
    const secrets = informers.of(Secret, { fieldSelector: `type=${names.type}` });
    const pods = informers.of(Pod);
    const keyIn = ({ metadata: { namespace = "" } }: Secret | Pod, name: string) => `${namespace}/${name}`;
    /** Once a day for a few tokens: an index over all pods would cost more. */
    const secretsOfPods = () => {
      const namesOf = (pod: Pod) => podReferences(pod).flatMap(({ kind, name }) => (kind === "secret" ? [name] : []));
      return new Set(pods.list().flatMap((pod) => namesOf(pod).map((name) => keyIn(pod, name))));
    };
    const queue = createQueue({
      workers: 1,
      after: [accounts, secrets, pods],
      sync() {
        let mounted: ReadonlySet<string> | undefined;
        const isMounted = (secret: Secret) => {
          mounted ??= secretsOfPods();
          return mounted.has(keyIn(secret, secret.metadata.name ?? ""));
        };
        return planTokens({
          secrets: secrets.list(),
          accountOf: (secret) => accounts.get(keyIn(secret, accountOf(secret, names) ?? "")),
          isMounted,
          periodMs: settings.legacyServiceAccountTokenCleanUpPeriodMs,
          nowMs: clock.now(),
          vocabulary,
        });
      },
    });
    queue.add("tokens");
    return queue;
  },
};
