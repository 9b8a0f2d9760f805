/** What a decision needs besides the pod and the cluster. */

import type { NodeFilter, PodFacts } from "./filters/filter.ts";
import type { KnownPod } from "./known-pod.ts";
import type { ScheduleDecision } from "./schedule.ts";

export interface ScheduleOptions {
  readonly filters: readonly NodeFilter[];
  readonly facts: PodFacts;
  /** The position of the node that is looked at first; it may be larger than the number of nodes. Default: 0. */
  readonly startAt?: number;
  /** A whole number from 0 up to, not including, `below`. */
  random(below: number): number;
  /** Calls what decides, with the cluster as it is to be seen. Default: as it is. */
  decide?(decideAtOnce: () => ScheduleDecision): ScheduleDecision;
  /** Whether a disruption budget would be violated if this pod went. */
  isProtected(pod: KnownPod): boolean;
}
