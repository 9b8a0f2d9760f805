/** serviceaccount: every active namespace has an account named default. */

import { Namespace } from "../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { accountsOfEveryNamespace, missingAccounts } from "./reconcile.ts";

export const serviceAccountController: Controller = {
  name: "serviceaccount",
  account: "service-account-controller",
  start({ client, informers, queue: createQueue }) {
    const namespaces = informers.of(Namespace);
    const accounts = informers.of(ServiceAccount);
    const queue = createQueue({
      workers: 1,
      after: [namespaces, accounts],
      async sync(name) {
        const has = (account: string) => accounts.get(`${name}/${account}`) !== undefined;
        for (const account of missingAccounts(namespaces.get(name), has)) {
          try {
            await client.of(ServiceAccount).create({ metadata: { namespace: name, name: account } });
          } catch (error) {
            // Another client created it, or the namespace is terminating.
            if (!hasReason(error, "AlreadyExists") && !isNamespaceTerminating(error)) throw error;
          }
        }
      },
    });
    namespaces.on(enqueueChanged(queue));
    accounts.on({
      delete({ metadata: { namespace = "", name = "" } }) {
        if (accountsOfEveryNamespace.includes(name)) queue.add(namespace);
      },
    });
    return queue;
  },
};
