/** How much of a simulated node a pod may have beside the others. */

import type { Pod } from "../api/core/v1/pod.ts";
import { milliValue, quantityOf, wholeValue } from "../machinery/values/quantity.ts";
import type { NodeAmounts } from "./life/refusal.ts";
import { type ResizeRoom, requestedBy } from "./life/resize.ts";
import type { NodeOptions } from "./node.ts";

export const amountsOf = ({ cpu, memory, pods }: Pick<NodeOptions, "cpu" | "memory" | "pods">): NodeAmounts => ({
  cpu: Number(milliValue(quantityOf(cpu))),
  memory: Number(wholeValue(quantityOf(memory))),
  pods: Number(wholeValue(quantityOf(pods))),
});

export function roomBeside(pod: Pod, podsOfNode: readonly Pod[], capacity: NodeAmounts): ResizeRoom {
  const usedByOthers = { cpu: 0, memory: 0 };
  for (const other of podsOfNode) {
    const isOver = other.status?.phase === "Succeeded" || other.status?.phase === "Failed";
    if (isOver || other.metadata.uid === pod.metadata.uid) continue;
    const requested = requestedBy(other);
    usedByOthers.cpu += requested.cpu;
    usedByOthers.memory += requested.memory;
  }
  return { capacity, usedByOthers };
}
