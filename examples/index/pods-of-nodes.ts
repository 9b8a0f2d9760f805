// How do I ask for objects by what is in them, again and again, without a request each time? With an informer that has an index.
import { type Informers, Pod } from "orch/client";

/** Which pods a node runs: answers from memory, as current as the watch. */
export async function podsOfNodes(informers: Informers) {
  const pods = informers.of(Pod);
  const byNode = pods.index("node", ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]));
  await pods.synced;
  return {
    on: (node: string) =>
      byNode
        .get(node)
        .map(({ metadata }) => metadata.name)
        .sort(),
    count: (node: string) => byNode.count(node),
    /** Ends when the informers are closed, or by the signal. */
    changes: (signal: AbortSignal) => pods.changes({ signal }),
  };
}
