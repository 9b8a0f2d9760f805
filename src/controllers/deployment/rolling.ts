/** A rolling update: creates new pods as far as the surge allows, and deletes old ones while enough others are available. */

import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { maxUnavailable, wanted } from "./limits.ts";
import { newSize } from "./new-replica-set.ts";
import { available, oldestFirst, size, sum, totalSize, withPods } from "./replica-sets.ts";
import type { Rollout } from "./rollout.ts";

/** True: something was scaled, and the rest waits for the result. */
export function rollOn(rollout: Rollout, newest: ReplicaSet, old: readonly ReplicaSet[]): boolean {
  return scaleNew(rollout, newest, old) || scaleOld(rollout, newest, withPods(old));
}

function scaleNew(rollout: Rollout, newest: ReplicaSet, old: readonly ReplicaSet[]): boolean {
  const replicas = wanted(rollout.deployment);
  if (size(newest) === replicas) return false;
  if (size(newest) > replicas) return rollout.scale(newest, replicas);
  const next = newSize(rollout, [...old, newest], newest);
  return size(newest) !== next && rollout.scale(newest, next);
}

function scaleOld(rollout: Rollout, newest: ReplicaSet, old: readonly ReplicaSet[]): boolean {
  if (totalSize(old) === 0) return false;
  const minAvailable = wanted(rollout.deployment) - maxUnavailable(rollout.deployment);
  const newUnavailable = size(newest) - available(newest);
  const removable = totalSize([...old, newest]) - minAvailable - newUnavailable;
  if (removable <= 0) return false;
  const sorted = [...old].sort(oldestFirst);
  // Pods that are not available are deleted first.
  const broken = scaleDown(rollout, sorted, removable, (set) => size(set) - available(set));
  // A set that was just scaled down may still report pods that are about to go: they are not there to be counted on.
  const spare = sum([...old, newest], (set) => Math.min(available(set), size(set))) - minAvailable;
  return scaleDown(rollout, sorted, spare, size) + broken > 0;
}

/** Removes `total` pods from the sets, of each at most what `share` allows; returns how many it removed. */
function scaleDown(
  rollout: Rollout,
  sets: readonly ReplicaSet[],
  total: number,
  share: (set: ReplicaSet) => number,
): number {
  let taken = 0;
  for (const given of sets) {
    const set = rollout.current(given);
    const count = Math.min(total - taken, share(set));
    if (count <= 0 || size(set) === 0) continue;
    rollout.scale(set, size(set) - count);
    taken += count;
  }
  return taken;
}
