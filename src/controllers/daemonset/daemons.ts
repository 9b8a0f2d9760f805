/** Which nodes lack a pod of a DaemonSet, and which of its pods are deleted. */

import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Node } from "../../api/core/v1/node.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { scaledValue } from "../../machinery/values/integer.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { fitsNode } from "../parts/nodes/affinity.ts";
import { toleratesAll } from "../parts/nodes/taints.ts";
import { isDeleting, isPodAvailable, timeMs } from "../parts/pods/state.ts";
import { daemonTolerations, isUpdated, nodeOf } from "./pod.ts";
import { planSurge, type SurgeInput, type SurgePlan, superfluousPods, surgeCount } from "./surge.ts";

export interface DaemonInput {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** All that it owns. */
  readonly pods: readonly Pod[];
  /** The hash of the current template. */
  readonly hash: string;
  readonly nowMs: number;
  readonly vocabulary: Vocabulary;
  /** The gate DaemonSetUpdateSurge. */
  readonly surges: boolean;
}

interface DaemonPlan {
  /** Names of nodes that lack a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** Failed pods, which are deleted too, but not too often. */
  readonly failed: readonly { readonly pod: Pod; readonly node: string }[];
}

interface Fit {
  /** Whether the node should get a pod. */
  readonly runs: boolean;
  /** Whether an existing pod may stay. */
  readonly keeps: boolean;
}

export function fitOf(set: DaemonSet, node: Node, vocabulary: Vocabulary): Fit {
  const spec = set.spec?.template.spec;
  if (spec?.nodeName && spec.nodeName !== node.metadata.name) return { runs: false, keeps: false };
  if (!fitsNode(spec ?? {}, node)) return { runs: false, keeps: false };
  const tolerations = daemonTolerations(spec ?? {}, vocabulary);
  const taints = node.spec?.taints ?? [];
  return {
    runs: toleratesAll(tolerations, taints, ["NoSchedule", "NoExecute"]),
    keeps: toleratesAll(tolerations, taints, ["NoExecute"]),
  };
}

export function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node !== undefined) byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return byNode;
}

export function planDaemons(input: DaemonInput): DaemonPlan {
  const { set, nodes, pods, vocabulary } = input;
  const byNode = podsByNode(pods);
  const hasSurge = surgeCount(set, 1, input.surges) > 0;
  const create: string[] = [];
  const surplus: Pod[] = [];
  const failed: { pod: Pod; node: string }[] = [];
  for (const node of nodes) {
    const name = node.metadata.name ?? "";
    const { runs, keeps } = fitOf(set, node, vocabulary);
    const found = byNode.get(name);
    byNode.delete(name);
    const living = (found ?? []).filter((pod) => !isDeleting(pod));
    if (found === undefined) {
      if (runs) create.push(name);
    } else if (keeps) {
      failed.push(...living.filter(hasFailed).map((pod) => ({ pod, node: name })));
      const running = oldestFirst(living.filter((pod) => !hasFailed(pod)));
      // One is enough: the oldest stays, unless an update with a surge adds a second one.
      surplus.push(...(hasSurge ? superfluousPods(running, surgeInput(input)) : running.slice(1)));
    } else {
      surplus.push(...living);
    }
  }
  // Pods for deleted nodes would stay pending forever; bound pods are left to the pod garbage collector.
  for (const left of byNode.values()) surplus.push(...left.filter(({ spec }) => !spec?.nodeName));
  return { create, delete: surplus, failed };
}

const hasFailed = (pod: Pod) => pod.status?.phase === "Failed";

/** Bound pods first. */
export function oldestFirst(pods: readonly Pod[]): Pod[] {
  const isBound = ({ spec }: Pod) => (spec?.nodeName ? 0 : 1);
  const createdMs = ({ metadata }: Pod) => timeMs(metadata.creationTimestamp) ?? 0;
  const name = ({ metadata }: Pod) => metadata.name ?? "";
  return [...pods].sort(
    (a, b) => isBound(a) - isBound(b) || createdMs(a) - createdMs(b) || (name(a) < name(b) ? -1 : 1),
  );
}

const surgeInput = ({ set, hash, nowMs }: DaemonInput): SurgeInput => ({
  set,
  hash,
  isAvailable: (pod) => isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs),
});

/** Old pods that a rolling update replaces now, and nodes that get a new pod beside the old one. */
export function planUpdate(input: DaemonInput): SurgePlan {
  const { set, nodes, pods, hash, vocabulary } = input;
  if (set.spec?.updateStrategy?.type !== "RollingUpdate") return { delete: [], create: [] };
  const byNode = podsByNode(pods);
  const wanted = nodes.filter((node) => fitOf(set, node, vocabulary).runs);
  for (const { metadata } of wanted) if (!byNode.has(metadata.name ?? "")) byNode.set(metadata.name ?? "", []);
  const surgeMax = surgeCount(set, wanted.length, input.surges);
  if (surgeMax > 0) return planSurge(byNode, surgeMax, surgeInput(input));
  const { maxUnavailable = 1 } = set.spec.updateStrategy.rollingUpdate ?? {};
  const allowed = scaledValue(maxUnavailable, wanted.length, "up") || 1;
  const { isAvailable } = surgeInput(input);
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const found of byNode.values()) {
    const living = found.filter((pod) => !isDeleting(pod));
    const [pod] = living;
    // None or several: the other part of the loop handles that.
    if (pod === undefined || living.length > 1) unavailable += 1;
    else if (isUpdated(set, pod, hash)) unavailable += isAvailable(pod) ? 0 : 1;
    else if (isAvailable(pod)) candidates.push(pod);
    else broken.push(pod);
  }
  return { delete: [...broken, ...candidates.slice(0, Math.max(0, allowed - unavailable))], create: [] };
}

/** The sets whose pods may change with a node. `node` undefined: it is gone; `old` undefined: it is new. */
export function affectedBy(
  node: Node | undefined,
  old: Node | undefined,
  sets: () => readonly DaemonSet[],
  vocabulary: Vocabulary,
): readonly DaemonSet[] {
  if (node === undefined) return sets();
  if (old === undefined) return sets().filter((set) => fitOf(set, node, vocabulary).runs);
  const facts = ({ metadata, spec }: Node) => [metadata.labels, spec?.taints, spec?.unschedulable];
  if (sameValue(facts(node), facts(old))) return [];
  return sets().filter((set) => !sameValue(fitOf(set, node, vocabulary), fitOf(set, old, vocabulary)));
}
