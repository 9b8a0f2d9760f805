/** Scales a Deployment outside a rollout, or during one: in proportion to the size of each set. */

import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { sizeIn } from "./annotations.ts";
import { isRollingUpdate, maxSurge, wanted } from "./limits.ts";
import {
  activeOrLatest,
  available,
  largestThenNewest,
  largestThenOldest,
  size,
  totalSize,
  withPods,
} from "./replica-sets.ts";
import type { Rollout } from "./rollout.ts";

/** A set records the desired number of pods at its last scaling. */
export function isScalingEvent(rollout: Rollout, sets: readonly ReplicaSet[]): boolean {
  const { deployment, context } = rollout;
  return withPods(sets).some((set) => {
    const desired = sizeIn(set.metadata.annotations, context.keys.desired);
    return desired !== undefined && desired !== wanted(deployment);
  });
}

export function scale(rollout: Rollout, newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): void {
  const { deployment } = rollout;
  const only = activeOrLatest(newest, old);
  if (only !== undefined) {
    if (size(only) !== wanted(deployment)) rollout.scale(only, wanted(deployment));
    return;
  }
  if (newest !== undefined && isSaturated(rollout, newest)) {
    for (const set of withPods(old)) rollout.scale(set, 0);
    return;
  }
  if (isRollingUpdate(deployment)) scaleInProportion(rollout, withPods(newest === undefined ? old : [...old, newest]));
}

function isSaturated({ deployment, context }: Rollout, set: ReplicaSet): boolean {
  const replicas = wanted(deployment);
  return (
    size(set) === replicas &&
    sizeIn(set.metadata.annotations, context.keys.desired) === replicas &&
    available(set) === replicas
  );
}

function scaleInProportion(rollout: Rollout, active: ReplicaSet[]): void {
  const { deployment } = rollout;
  const allowed = wanted(deployment) > 0 ? wanted(deployment) + maxSurge(deployment) : 0;
  const toAdd = allowed - totalSize(active);
  // The largest get the most, and the remainder from rounding.
  if (toAdd > 0) active.sort(largestThenNewest);
  if (toAdd < 0) active.sort(largestThenOldest);
  let added = 0;
  const sizes = active.map((set) => {
    const share = proportion(rollout, set, toAdd, added);
    added += share;
    return size(set) + share;
  });
  active.forEach((set, index) => {
    const leftover = index === 0 ? toAdd - added : 0;
    rollout.scale(set, Math.max(0, (sizes[index] ?? 0) + leftover));
  });
}

function proportion(rollout: Rollout, set: ReplicaSet, toAdd: number, added: number): number {
  if (size(set) === 0 || toAdd === 0 || toAdd === added) return 0;
  const share = fraction(rollout, set);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function fraction({ deployment, context }: Rollout, set: ReplicaSet): number {
  if (wanted(deployment) === 0) return -size(set);
  const before = sizeIn(set.metadata.annotations, context.keys.max) ?? deployment.status?.replicas ?? 0;
  if (before === 0) return 0;
  return Math.round((size(set) * (wanted(deployment) + maxSurge(deployment))) / before) - size(set);
}
