/** Taints that follow from the conditions of a node, and how they are added and removed. */

import type { Taint } from "../../api/core/v1/node/spec.ts";
import type { Node } from "../../api/core/v1/node.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

const notReadyKey = "node.orch.io/not-ready";
const unreachableKey = "node.orch.io/unreachable";
const unschedulableKey = "node.orch.io/unschedulable";

/** By type and status of a condition. */
const keyByCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyKey, Unknown: unreachableKey },
  MemoryPressure: { True: "node.orch.io/memory-pressure" },
  DiskPressure: { True: "node.orch.io/disk-pressure" },
  NetworkUnavailable: { True: "node.orch.io/network-unavailable" },
  PIDPressure: { True: "node.orch.io/pid-pressure" },
};
const conditionKeys = [...Object.values(keyByCondition).flatMap((keys) => Object.values(keys)), unschedulableKey];

export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** The changes that make the NoSchedule taints match the conditions; undefined: nothing changes. */
export function scheduleTaintChange(node: Node, vocabulary: Vocabulary): TaintChange | undefined {
  const wanted = new Set<string>();
  for (const { type, status } of node.status?.conditions ?? []) {
    const key = Object.hasOwn(keyByCondition, type) ? keyByCondition[type]?.[status] : undefined;
    if (key !== undefined) wanted.add(vocabulary.word(key));
  }
  if (node.spec?.unschedulable) wanted.add(vocabulary.word(unschedulableKey));
  const ours = new Set(conditionKeys.map((key) => vocabulary.word(key)));
  const known = (node.spec?.taints ?? []).filter(({ key, effect }) => effect === "NoSchedule" && ours.has(key));
  const add = [...wanted]
    .filter((key) => !known.some((taint) => taint.key === key))
    .map((key) => ({ key, effect: "NoSchedule" }));
  const remove = known.filter(({ key }) => !wanted.has(key));
  return add.length === 0 && remove.length === 0 ? undefined : { add, remove };
}

/** The NoExecute taint of the node; undefined: it is ready. */
export function executeTaint(node: Node, vocabulary: Vocabulary): Taint | undefined {
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  const key = ready && keyByCondition["Ready"]?.[ready.status];
  return key === undefined ? undefined : { key: vocabulary.word(key), effect: "NoExecute" };
}

/** The NoExecute taints of this controller that the node carries. */
export function executeTaintsOf(node: Node, vocabulary: Vocabulary): readonly Taint[] {
  const keys = [notReadyKey, unreachableKey].map((key) => vocabulary.word(key));
  return (node.spec?.taints ?? []).filter(({ key, effect }) => effect === "NoExecute" && keys.includes(key));
}

/** The taints after the change: those of others stay where they are, new ones come last. */
export function taintsAfter(taints: readonly Taint[], { add, remove }: TaintChange, now: string): readonly Taint[] {
  const isIn = (list: readonly Taint[], { key, effect }: Taint) =>
    list.some((each) => each.key === key && each.effect === effect);
  const kept = taints.filter((taint) => !isIn(remove, taint));
  return [...kept, ...add.filter((taint) => !isIn(kept, taint)).map((taint) => ({ ...taint, timeAdded: now }))];
}
