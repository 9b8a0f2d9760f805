/** garbagecollector: deletes objects whose owners are all gone, or orphans them, by the propagation policy. */

import type { Controller } from "../contract.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { createQueues } from "./collect.ts";
import { Graph, type Worth } from "./graph.ts";
import { startMonitors } from "./monitors.ts";
import { createOwnerStates } from "./owner-states.ts";
import { misplacedEvent } from "./reconcile.ts";
import { followResources } from "./refresh.ts";

export const garbageCollector: Controller = {
  name: "garbagecollector",
  account: "generic-garbage-collector",
  start(context) {
    const { client } = context;
    const graph = new Graph();
    const absent = new AbsentOwners();
    const recorder = context.recorder("garbage-collector-controller");
    const enqueueAffected = ({ collect, orphan, misplaced }: Worth) => {
      for (const uid of collect) queues.collect.add(uid);
      for (const uid of orphan) queues.orphan.add(uid);
      for (const { node, owner } of misplaced) {
        const { about = node, type, reason, message } = misplacedEvent(node, owner);
        recorder.event(about, type, reason, message);
      }
    };
    const monitors = startMonitors({
      context,
      put(object, address) {
        absent.forget(object.metadata.uid ?? "");
        enqueueAffected(graph.put(object, address));
      },
      remove(uid) {
        const node = graph.get(uid);
        if (node?.address !== undefined) absent.add(node, node.namespace);
        enqueueAffected(graph.remove(uid));
      },
      forget: (uid) => enqueueAffected(graph.forget(uid)),
    });
    const owners = createOwnerStates({ client, graph, absent, addressOf: monitors.addressOf });
    const queues = createQueues(context, { graph, owners, after: [monitors] });
    followResources(context, monitors);
    return monitors;
  },
};
