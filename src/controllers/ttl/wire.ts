/** ttl: annotates each node with how long its agent may cache objects. */

import { Node } from "../../api/core/v1/node.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { planTtl, stepAfter } from "./reconcile.ts";

export const ttlController: Controller = {
  name: "ttl",
  account: "ttl-controller",
  start({ informers, vocabulary, queue: createQueue }) {
    const annotation = vocabulary.word("node.alpha.orch.io/ttl");
    const nodes = informers.of(Node);
    let step = 0;
    let count = 0;
    const queue = createQueue({
      workers: 5,
      workersWhenSlow: 40,
      after: [nodes],
      sync(name) {
        const node = nodes.get(name);
        return node && planTtl(node, annotation, step);
      },
    });
    const counted = (change: 1 | -1) => {
      count += change;
      const next = stepAfter(step, count);
      if (next === step) return;
      step = next;
      for (const node of nodes.list()) queue.add(keyOf(node));
    };
    nodes.on({
      add(node) {
        counted(1);
        queue.add(keyOf(node));
      },
      update: (node) => queue.add(keyOf(node)),
      delete: () => counted(-1),
    });
    return queue;
  },
};
