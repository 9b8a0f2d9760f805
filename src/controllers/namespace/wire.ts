/** namespace: empties terminating namespaces, reports what remains, and removes them when they are empty. */

import { Namespace } from "../../api/core/v1/namespace.ts";
import { waitLeftMs } from "../../base/clock.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { emptyNamespace } from "./empty.ts";
import { isEmpty, planNamespace } from "./reconcile.ts";

export const namespaceController: Controller = {
  name: "namespace",
  account: "namespace-controller",
  start({ client, informers, vocabulary, settings, clock, has, queue: createQueue }) {
    const namespaces = informers.of(Namespace);
    const finalizer = vocabulary.word("orch");
    /** How often each namespace was found not to be empty. */
    const passes = new Map<string, number>();
    const queue = createQueue({
      workers: settings.concurrentNamespaceSyncs,
      after: [namespaces],
      async sync(name) {
        const known = namespaces.get(name);
        if (!known?.metadata.deletionTimestamp || !known.spec?.finalizers?.includes(finalizer))
          return void passes.delete(name);
        const pass = await emptyNamespace(client, name, { podsAlone: has("orderedDeletion") });
        const count = passes.get(name) ?? 0;
        passes.set(name, isEmpty(pass) ? 0 : count + 1);
        return planNamespace(known, pass, { finalizer, nowMs: clock.now(), passes: count });
      },
    });
    const enqueueDeleted = (namespace: Namespace) => {
      if (!namespace.metadata.deletionTimestamp) return;
      const since = Date.parse(namespace.metadata.deletionTimestamp);
      queue.addAfter(keyOf(namespace), waitLeftMs(since, settings.namespaceDeletionGraceMs, clock.now()));
    };
    namespaces.on({
      add: enqueueDeleted,
      update: enqueueDeleted,
      delete: (namespace) => queue.add(keyOf(namespace)),
    });
    return queue;
  },
};
