/** Recreate: all old pods end before the first new one is created. */

import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { isPodFinished } from "../parts/pods/state.ts";
import { actual, withPods } from "./replica-sets.ts";
import type { Rollout } from "./rollout.ts";

/** True: pods were deleted, and the rest waits until they have ended. */
export function scaleDownOld(rollout: Rollout, old: readonly ReplicaSet[]): boolean {
  return withPods(old).filter((set) => rollout.scale(set, 0)).length > 0;
}

/** `pods`: those that the replica sets of the Deployment control. */
export function oldPodsRun(
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  pods: ReadonlyMap<string, readonly Pod[]>,
): boolean {
  if (actual(old) > 0) return true;
  for (const [uid, owned] of pods) {
    if (uid !== newest?.metadata.uid && owned.some((pod) => !isPodFinished(pod))) return true;
  }
  return false;
}
