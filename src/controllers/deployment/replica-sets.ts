/** The replica sets of a Deployment: which one is the new one, which have pods, how many. */

import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/spec.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { timeMs } from "../parts/pods/state.ts";
import { hashLabel } from "./keys.ts";

export const size = (set: ReplicaSet): number => set.spec?.replicas ?? 1;
export const available = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;

export const sum = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number =>
  sets.reduce((total, set) => total + count(set), 0);
export const totalSize = (sets: readonly ReplicaSet[]): number => sum(sets, size);
export const totalAvailable = (sets: readonly ReplicaSet[]): number => sum(sets, available);
export const actual = (sets: readonly ReplicaSet[]): number => sum(sets, (set) => set.status?.replicas ?? 0);

/** Those with a desired number above zero. */
export const withPods = (sets: readonly ReplicaSet[]): ReplicaSet[] => sets.filter((set) => size(set) > 0);

/** Read once for all comparisons of a sort, and of the next ones: objects of informers do not change. */
const created = new WeakMap<ReplicaSet, number>();

function createdMs(set: ReplicaSet): number {
  let ms = created.get(set);
  if (ms === undefined) {
    ms = timeMs(set.metadata.creationTimestamp) ?? Number.MAX_SAFE_INTEGER;
    created.set(set, ms);
  }
  return ms;
}
const byName = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left = "", right = ""] = [a.metadata.name, b.metadata.name];
  return left < right ? -1 : left > right ? 1 : 0;
};
export const oldestFirst = (a: ReplicaSet, b: ReplicaSet): number => createdMs(a) - createdMs(b) || byName(a, b);
const newestFirst = (a: ReplicaSet, b: ReplicaSet): number => createdMs(b) - createdMs(a) || byName(b, a);
export const largestThenOldest = (a: ReplicaSet, b: ReplicaSet): number => size(b) - size(a) || oldestFirst(a, b);
export const largestThenNewest = (a: ReplicaSet, b: ReplicaSet): number => size(b) - size(a) || newestFirst(a, b);

/** Whether pods of the two templates are the same, apart from the label with the hash. */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return sameValue(withoutHash(a), withoutHash(b));
}

export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const labels = template?.metadata?.labels;
  if (labels === undefined || !Object.hasOwn(labels, hashLabel)) return template;
  const { [hashLabel]: _, ...others } = labels;
  return { ...template, metadata: { ...template?.metadata, labels: others } };
}

/** The oldest one that has the template: old controllers could create two. */
export const findNew = (sets: readonly ReplicaSet[], template: PodTemplateSpec | undefined): ReplicaSet | undefined =>
  [...sets].sort(oldestFirst).find((set) => sameTemplate(set.spec?.template, template));

/** The one that all pods belong to, or the latest when there are none; undefined: several have pods. */
export function activeOrLatest(newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): ReplicaSet | undefined {
  const active = withPods(newest === undefined ? old : [...old, newest]);
  if (active.length > 1) return undefined;
  return active[0] ?? newest ?? [...old].sort(newestFirst)[0];
}
