/** The two queues of the collector: objects whose owners may be gone, and objects that leave orphans. */

import type { ControllerContext, ReconcileOutcome } from "../contract.ts";
import { type Graph, type GraphNode, waitsForDependents } from "./graph.ts";
import type { OwnerStates } from "./owner-states.ts";
import { decide, planDecision, planOrphaning } from "./reconcile.ts";

interface CollectOptions {
  readonly graph: Graph;
  readonly owners: OwnerStates;
  readonly after: readonly { readonly synced: Promise<void> }[];
}

export function createQueues(context: ControllerContext, { graph, owners, after }: CollectOptions) {
  const workers = context.settings.concurrentGcSyncs;

  async function checkUnseen(node: GraphNode): Promise<void> {
    if (!(await owners.isAbsent(node))) return;
    for (const { uid } of graph.get(node.uid)?.dependents ?? []) collect.add(uid);
  }

  async function checkOwners(node: GraphNode): Promise<ReconcileOutcome> {
    if (node.address === undefined) return await checkUnseen(node);
    const references = waitsForDependents(node) || node.isDeleted ? [] : node.owners;
    const states = [];
    for (const reference of references) states.push({ reference, state: await owners.stateOf(node, reference) });
    const decision = decide(node, states);
    if (decision.do === "await") for (const dependent of decision.dependents) collect.add(dependent);
    const { kind, name } = node;
    if (decision.do === "forget") context.log.debug("references to absent owners are removed", { kind, name });
    if (decision.do === "delete") context.log.debug("an object without owners is deleted", { kind, name });
    return planDecision(decision, node, node.address);
  }

  const collect = context.queue({
    name: "garbage_collector_attempt_to_delete",
    workers,
    after,
    async sync(uid) {
      const node = graph.get(uid);
      return node && (await checkOwners(node));
    },
  });
  const orphan = context.queue({
    name: "garbage_collector_attempt_to_orphan",
    workers,
    after,
    sync(uid) {
      const node = graph.get(uid);
      return node?.address && planOrphaning(node, node.address);
    },
  });
  return { collect, orphan };
}
