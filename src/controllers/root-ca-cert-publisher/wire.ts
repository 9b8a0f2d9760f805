/** root-ca-cert-publisher: every namespace has a ConfigMap with the authorities of the API server. */

import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { planRootCa } from "./reconcile.ts";

export const rootCaCertPublisher: Controller = {
  name: "root-ca-cert-publisher",
  account: "root-ca-cert-publisher",
  start({ informers, settings: { rootCa }, vocabulary, queue: createQueue }) {
    if (rootCa === undefined) return undefined;
    const name = vocabulary.word("orch-root-ca.crt");
    const namespaces = informers.of(Namespace);
    const maps = informers.of(ConfigMap, { fieldSelector: `metadata.name=${name}` });
    const queue = createQueue({
      workers: 1,
      after: [namespaces, maps],
      sync: (namespace) => planRootCa(namespaces.get(namespace), maps.get(`${namespace}/${name}`), { name, rootCa }),
    });
    namespaces.on(enqueueChanged(queue));
    maps.on({
      update: ({ metadata }) => queue.add(metadata.namespace ?? ""),
      delete: ({ metadata }) => queue.add(metadata.namespace ?? ""),
    });
    return queue;
  },
};
