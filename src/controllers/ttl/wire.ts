/** ttl: annotates each node with how long its agent may cache objects. */

import { Node } from "../../api/core/v1/node.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { secondsOf, stepAfter } from "./reconcile.ts";

export const ttlController: Controller = {
  name: "ttl",
  account: "ttl-controller",
  start({ client, informers, vocabulary, queue: createQueue }) {
    const annotation = vocabulary.word("node.alpha.orch.io/ttl");
    const nodes = informers.of(Node);
    let step = 0;
    let count = 0;
    const queue = createQueue({
      workers: 5,
      after: [nodes],
      async sync(name) {
        const seconds = String(secondsOf(step));
        const node = nodes.get(name);
        if (node === undefined || node.metadata.annotations?.[annotation] === seconds) return;
        await ifThere(client.of(Node).patch({ name }, { metadata: { annotations: { [annotation]: seconds } } }));
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
