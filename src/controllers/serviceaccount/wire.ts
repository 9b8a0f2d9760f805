/** serviceaccount: every active namespace has an account named default. */

import { Namespace } from "../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { accountsOfEveryNamespace, missingAccounts, planAccounts } from "./reconcile.ts";

export const serviceAccountController: Controller = {
  name: "serviceaccount",
  account: "service-account-controller",
  start({ informers, queue: createQueue }) {
    const namespaces = informers.of(Namespace);
    const accounts = informers.of(ServiceAccount);
    const queue = createQueue({
      workers: 1,
      after: [namespaces, accounts],
      sync(name) {
        const has = (account: string) => accounts.get(`${name}/${account}`) !== undefined;
        return planAccounts(name, missingAccounts(namespaces.get(name), has));
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
