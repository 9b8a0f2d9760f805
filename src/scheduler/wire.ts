/** scheduler: binds each pod without a node to one that fits. */

import { Namespace } from "../api/core/v1/namespace.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { PodDisruptionBudget } from "../api/policy/v1/pod-disruption-budget.ts";
import { keyOf } from "../client/informer/keys.ts";
import type { Controller } from "../controllers/contract.ts";
import { followSelectors } from "../controllers/parts/selectors/selectors.ts";
import { labelSelectorFromObject } from "../machinery/selectors/label-selector.ts";
import { followDevices } from "./devices/follow-devices.ts";
import { Scheduler } from "./scheduler.ts";
import { followStorage } from "./storage.ts";

/** As v1.21: pods that found no node are tried again after this long even if nothing seems to have changed. */
const flushMs = 60_000;
const bindingWorkers = 16;
const bindingWorkersWhenSlow = 64;

export const scheduler: Controller = {
  name: "scheduler",
  offByDefault: true,
  start(context) {
    const { informers, vocabulary, clock, random, environment } = context;
    const [pods, nodes, namespaces] = [informers.of(Pod), informers.of(Node), informers.of(Namespace)];
    const budgets = informers.of(PodDisruptionBudget);
    const spent = followSelectors(budgets, ({ spec, status }) =>
      labelSelectorFromObject((status?.disruptionsAllowed ?? 0) > 0 ? undefined : spec?.selector),
    );
    const storage = followStorage(informers);
    const wake = () => one.wake((key, delayMs) => queue.addAfter(key, delayMs));
    const devices = followDevices(context);
    const one = new Scheduler({
      vocabulary,
      clock,
      random,
      storage: storage.known,
      devices: devices?.known,
      isProtected: (namespace, labels) => spent.hasMatch(namespace, labels),
      tellsGeneration: environment.has("observedGenerations"),
      marksVictims: environment.has("disruptionConditions"),
      readsFeatures: environment.gates.enabled("NodeDeclaredFeatures"),
    });
    const queue = context.queue({
      workers: bindingWorkers,
      workersWhenSlow: bindingWorkersWhenSlow,
      component: "default-scheduler",
      after: [pods, nodes, namespaces, budgets, ...storage.informers, ...(devices?.informers ?? [])],
      onlyPlans: true,
      sync: (key) => one.next(key),
    });
    const see = (pod: Pod) => {
      const effect = one.see(pod);
      if (effect === "pending") queue.add(keyOf(pod));
      if (effect === "freed") wake();
    };
    const gone = (pod: Pod) => {
      one.forget(pod);
      wake();
    };
    pods.on({ add: see, update: see, delete: gone });
    const seeNode = (node: Node) => {
      if (one.seeNode(node)) wake();
    };
    nodes.on({ add: seeNode, update: seeNode, delete: ({ metadata }) => one.cluster.removeNode(metadata.name ?? "") });
    const seeNamespace = ({ metadata }: Namespace) => one.cluster.setNamespace(metadata.name ?? "", metadata.labels);
    namespaces.on({ add: seeNamespace, update: seeNamespace });
    for (const informer of storage.informers) informer.on({ add: wake, update: wake });
    devices?.follow(wake, (pods) => one.retryAtOnce(pods, (key, delayMs) => queue.addAfter(key, delayMs)));
    context.every(flushMs, wake);
    return queue;
  },
};
