/** namespace: empties terminating namespaces, reports what remains, and removes them when they are empty. */

import { Namespace } from "../../api/core/v1/namespace.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Controller } from "../contract.ts";
import { emptyNamespace } from "./empty.ts";
import { conditionsAfter, isEmpty, withoutFinalizer } from "./reconcile.ts";

/** The remaining objects are checked again soon, then less and less often. */
const lookAgainMs = 20;
const lookAgainMsMax = 5_000;

export const namespaceController: Controller = {
  name: "namespace",
  account: "namespace-controller",
  start({ client, informers, vocabulary, settings, clock, queue: createQueue }) {
    const namespaces = informers.of(Namespace);
    const resource = client.of(Namespace);
    const finalizer = vocabulary.word("orch");
    const passes = new Map<string, number>();
    const queue = createQueue({
      workers: settings.concurrentNamespaceSyncs,
      after: [namespaces],
      async sync(name) {
        const known = namespaces.get(name);
        if (!known?.metadata.deletionTimestamp || !known.spec?.finalizers?.includes(finalizer)) {
          passes.delete(name);
          return;
        }
        const pass = await emptyNamespace(client, name);
        const current = await ifThere(resource.get({ name }));
        if (current === undefined || current.metadata.uid !== known.metadata.uid) return;
        const conditions = conditionsAfter(current.status?.conditions ?? [], pass, timeText(clock.now()));
        const isCurrent = conditions === current.status?.conditions;
        const updated = isCurrent
          ? current
          : await resource.updateStatus({ ...current, status: { ...current.status, conditions: [...conditions] } });
        if (isEmpty(pass)) {
          const finished = withoutFinalizer(updated, finalizer);
          if (finished !== undefined) await ifThere(resource.subresource({ name }, "finalize", finished, "PUT"));
          passes.delete(name);
          return;
        }
        const count = passes.get(name) ?? 0;
        passes.set(name, count + 1);
        const waits = pass.remaining.size > 0 || pass.deletionFailures.length > 0 || pass.discoveryFailures.length > 0;
        queue.addAfter(name, waits ? Math.min(lookAgainMs * 2 ** count, lookAgainMsMax) : 0);
      },
    });
    const added = (namespace: Namespace) => {
      if (!namespace.metadata.deletionTimestamp) return;
      const since = clock.now() - Date.parse(namespace.metadata.deletionTimestamp);
      queue.addAfter(keyOf(namespace), Math.max(0, settings.namespaceDeletionGraceMs - since));
    };
    namespaces.on({ add: added, update: added, delete: (namespace) => void passes.delete(keyOf(namespace)) });
    return queue;
  },
};
