/** What the pod requests must be left on the node. */

import { cpuTotal, cpuUsed, memoryTotal, memoryUsed, podsTotal, podsUsed } from "../amount-table.ts";
import type { KnownNode } from "../cluster.ts";
import type { Amounts } from "../resources.ts";
import type { NodeFilter, NodeRejection } from "./filter.ts";

export const resources: NodeFilter = ({ requests }, { amounts }) => {
  const { cpu, memory, pods, others } = requests;
  return (node) => {
    const { numbers } = amounts;
    const { slot } = node;
    const fits =
      isLeft(cpu, numbers[slot + cpuTotal]!, numbers[slot + cpuUsed]!) && // each node has all six
      isLeft(memory, numbers[slot + memoryTotal]!, numbers[slot + memoryUsed]!) &&
      isLeft(pods, numbers[slot + podsTotal]!, numbers[slot + podsUsed]!);
    return fits && others.size === 0 ? undefined : shortages(requests, node);
  };
};

/** How many resources are named that a node has too little of; a pod may request tens of thousands. */
export const shortagesToldMax = 100;

/** A pod that requests nothing of a resource fits also where too much of it is used. */
const isLeft = (amount: number, total: number, used: number): boolean => amount === 0 || amount <= total - used;

/** Undefined: everything is left. */
function shortages(requests: Amounts, { allocatable, used }: KnownNode): NodeRejection | undefined {
  const reasons: string[] = [];
  let canPreempt = true;
  const compare = (name: string, amount: number, total: number, taken: number) => {
    if (isLeft(amount, total, taken)) return;
    reasons.push(name === "pods" ? "Too many pods" : `Insufficient ${name}`);
    canPreempt &&= amount <= total;
  };
  for (const name of ["cpu", "memory", "pods"] as const) compare(name, requests[name], allocatable[name], used[name]);
  for (const [name, amount] of requests.others) {
    compare(name, amount, allocatable.others.get(name) ?? 0, used.others.get(name) ?? 0);
    // No more can follow: it does not fit, whichever pods leave.
    if (reasons.length >= shortagesToldMax && !canPreempt) break;
  }
  return reasons.length === 0 ? undefined : { reasons, canPreempt };
}
