/** serviceaccount-token: gives every account a Secret with a token, fills in token Secrets, and deletes them with their account. */

import type { Controller } from "../contract.ts";
import { enqueueAll, enqueueChanged } from "../enqueue.ts";
import { planUnlisting } from "./reconcile.ts";
import { createTokenSecrets } from "./secrets.ts";

export const serviceAccountToken: Controller = {
  name: "serviceaccount-token",
  start(context) {
    const { signAccountToken: sign, concurrentServiceaccountTokenSyncs: workers } = context.settings;
    if (sign === undefined) return undefined;
    const tokens = createTokenSecrets(context, sign);
    const { accounts, secrets } = tokens;
    const after = [accounts, secrets];
    const accountQueue = context.queue({
      name: "serviceaccount_tokens_service",
      workers,
      after,
      async sync(key) {
        const account = accounts.get(key);
        if (account !== undefined) return await tokens.planAccount(account);
        for (const secret of tokens.keysOf(key)) secretQueue.add(secret);
      },
    });
    const secretQueue = context.queue({
      name: "serviceaccount_tokens_secret",
      workers,
      after,
      async sync(key) {
        const secret = secrets.get(key);
        return secret && (await tokens.planSecret(secret));
      },
    });
    const unlistQueue = context.queue({
      name: "serviceaccount_tokens_reference",
      workers,
      after,
      sync(key) {
        const [namespace = "", account = "", secret = ""] = key.split("/");
        const enqueueAccount = () => accountQueue.add(`${namespace}/${account}`);
        return planUnlisting({ namespace, name: account }, secret, enqueueAccount);
      },
    });
    accounts.on(enqueueAll(accountQueue));
    secrets.on({
      ...enqueueChanged(secretQueue),
      delete: (secret) => unlistQueue.add(`${tokens.accountKeyOf(secret)}/${secret.metadata.name ?? ""}`),
    });
    return undefined;
  },
};
