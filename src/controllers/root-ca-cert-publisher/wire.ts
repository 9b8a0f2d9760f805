/** root-ca-cert-publisher: every namespace has a ConfigMap with the authorities of the API server. */

import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { publishRootCa } from "./reconcile.ts";

export const rootCaCertPublisher: Controller = {
  name: "root-ca-cert-publisher",
  account: "root-ca-cert-publisher",
  start({ client, informers, settings: { rootCa }, vocabulary, queue: createQueue }) {
    if (rootCa === undefined) return undefined;
    const name = vocabulary.word("orch-root-ca.crt");
    const namespaces = informers.of(Namespace);
    const maps = informers.of(ConfigMap, { fieldSelector: `metadata.name=${name}` });
    const queue = createQueue({
      workers: 1,
      after: [namespaces, maps],
      async sync(namespace) {
        const known = maps.get(`${namespace}/${name}`);
        const change = publishRootCa(namespaces.get(namespace), known, { name, rootCa });
        if (change === undefined) return;
        try {
          if ("create" in change) await client.of(ConfigMap).create(change.create);
          else await client.of(ConfigMap).update(change.update);
        } catch (error) {
          // Created by another client, or terminating: a watch event follows.
          if (!hasReason(error, "AlreadyExists", "NotFound") && !isNamespaceTerminating(error)) throw error;
        }
      },
    });
    namespaces.on(enqueueChanged(queue));
    maps.on({
      update: ({ metadata }) => queue.add(metadata.namespace ?? ""),
      delete: ({ metadata }) => queue.add(metadata.namespace ?? ""),
    });
    return queue;
  },
};
