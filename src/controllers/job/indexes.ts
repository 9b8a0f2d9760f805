/** Completion indexes: which number a pod of an Indexed job works on, and which are done. */

import { readIndexes } from "../../api/batch/v1/completion-indexes.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { inDeletionOrder } from "../parts/pods/deletion-order.ts";
import { isPodActive } from "../parts/pods/state.ts";
import type { NewPod } from "../plan.ts";

const indexVariable = "JOB_COMPLETION_INDEX";
/** The server cuts longer prefixes of generated names. */
const generatedPrefixMax = 58;

export const isIndexed = (job: Job): boolean => job.spec?.completionMode === "Indexed";

/** Undefined: it has none, or one beyond the completions of the job. `key`: the annotation. */
export function indexOf(pod: Pod, key: string, completions: number): number | undefined {
  const text = pod.metadata.annotations?.[key];
  const index = text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
  return index !== undefined && index < completions ? index : undefined;
}

/** Of the pods of an Indexed job those with an index; of another job all. */
export function withValidIndex(job: Job, pods: readonly Pod[], key: string): readonly Pod[] {
  const { completions = 0 } = job.spec ?? {};
  return isIndexed(job) ? pods.filter((pod) => indexOf(pod, key, completions) !== undefined) : pods;
}

/** The indexes of a list as text, as far as they are below `completions`, which may have been lowered since it was written. */
export function indexesIn(text = "", completions = Infinity): readonly number[] {
  const ranges = readIndexes(text, Infinity) ?? [];
  return ranges.flatMap(([first, last]) => {
    const end = Math.min(last, completions - 1);
    return Array.from({ length: Math.max(0, end - first + 1) }, (_, at) => first + at);
  });
}

/** In order, without duplicates. */
export function succeededIndexes(pods: readonly Pod[], key: string, completions: number): number[] {
  const done = new Set<number>();
  for (const pod of pods) {
    const index = pod.status?.phase === "Succeeded" ? indexOf(pod, key, completions) : undefined;
    if (index !== undefined) done.add(index);
  }
  return [...done].sort((a, b) => a - b);
}

/** "0,1,4-6": two neighbours with a comma, longer runs with a dash. */
export function indexesText(sorted: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    let end = at;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    const [first, last] = [sorted[at] ?? 0, sorted[end] ?? 0];
    parts.push(end === at ? `${first}` : end === at + 1 ? `${first},${last}` : `${first}-${last}`);
    at = end + 1;
  }
  return parts.join(",");
}

/** The lowest indexes that no pod works on or has done. `others`: those that must not be tried now. */
export function pendingIndexes(
  pods: readonly Pod[],
  key: string,
  completions: number,
  count: number,
  others: ReadonlySet<number>,
): number[] {
  const taken = new Set([...succeededIndexes(pods, key, completions), ...others]);
  for (const pod of pods) {
    const index = isPodActive(pod) ? indexOf(pod, key, completions) : undefined;
    if (index !== undefined) taken.add(index);
  }
  const pending: number[] = [];
  for (let index = 0; index < completions && pending.length < count; index++) {
    if (!taken.has(index)) pending.push(index);
  }
  return pending;
}

/** Superfluous pods of an Indexed job: without an index, or with one that a better pod has. */
export function superfluous(active: readonly Pod[], key: string, completions: number): Pod[] {
  const useless: Pod[] = [];
  const byIndex = new Map<number, Pod[]>();
  for (const pod of active) {
    const index = indexOf(pod, key, completions);
    if (index === undefined) useless.push(pod);
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
  }
  return [...useless, ...[...byIndex.values()].flatMap((pods) => inDeletionOrder(pods).slice(0, -1))];
}

/**
 * Gives the pod its index, which every container finds in its environment. `isLabelled`: since 1.28 the index is a label as well,
 * and the pod is named after it.
 */
export function withIndex(pod: NewPod, index: number, key: string, isLabelled: boolean): NewPod {
  type Containers = NonNullable<NonNullable<NewPod["spec"]>["containers"]>;
  const fieldPath = `metadata.${isLabelled ? "labels" : "annotations"}['${key}']`;
  const variable = { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } };
  const withVariable = (containers: Containers): Containers =>
    containers.map((container) =>
      container.env?.some(({ name }) => name === indexVariable)
        ? container
        : { ...container, env: [...(container.env ?? []), variable] },
    );
  const { containers = [], initContainers, ...spec } = pod.spec ?? { containers: [] };
  const { generateName = "", labels } = pod.metadata;
  const suffix = `-${index}-`;
  // A generated name keeps the index, however long the name of the job is.
  const prefix = generateName.replace(/-$/, "").slice(0, generatedPrefixMax - suffix.length);
  return {
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata.annotations, [key]: String(index) },
      ...(isLabelled ? { labels: { ...labels, [key]: String(index) }, generateName: `${prefix}${suffix}` } : {}),
    },
    spec: {
      ...spec,
      ...(isLabelled ? { hostname: `${generateName}${index}` } : {}),
      containers: withVariable(containers),
      ...(initContainers === undefined ? {} : { initContainers: withVariable(initContainers) }),
    },
  };
}
