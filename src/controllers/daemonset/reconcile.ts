/** One pass over a DaemonSet: the revision of its template, then pods on nodes, then the status. */

import type { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Owner } from "../parts/ownership/ownership.ts";
import { nextAvailableInMs } from "../parts/pods/state.ts";
import { removeRevision } from "../parts/revisions/control.ts";
import { type Plan, type PlannedEvent, type PodChanges, statusOf } from "../plan.ts";
import { type DaemonInput, planDaemons, planUpdate } from "./daemons.ts";
import { type CurrentRevision, surplusRevisions, withCurrentRevision } from "./history.ts";
import { newPod } from "./pod.ts";
import { daemonStatus } from "./status.ts";

/** At most this many pods are created or deleted in one pass. */
const burstDaemonsMax = 250;

interface DaemonSetInput extends Omit<DaemonInput, "hash"> {
  readonly owner: Owner;
  /** All that it owns, oldest first. */
  readonly revisions: readonly ControllerRevision[];
  /** How long the failed pod of this node must wait for its replacement; 0: not at all. */
  readonly failedPodWaitMs: (node: string) => number;
  /** Whether the cache shows all earlier writes; otherwise pods are only counted. */
  readonly isSynced: boolean;
}

export function planDaemonSet(given: DaemonSetInput): Plan {
  const { set } = given;
  if (selectsEverything(set)) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    return { about: set, events: [{ type: "Warning", reason: "SelectingAll", message }] };
  }
  return withCurrentRevision(set, given.owner, given.revisions, (current) => {
    const input = { ...given, hash: current.hash };
    return given.isSynced ? planPods(input, current) : finish(input, current);
  });
}

/** Nodes that lack a pod or have too many come first; a rolling update goes on when there are none. */
function planPods(input: DaemonSetInput & DaemonInput, current: CurrentRevision): Plan {
  const { set } = input;
  const plan = planDaemons(input);
  const { replaced, events, waitMs } = failedPods(input, plan.failed);
  const first = { create: plan.create, delete: [...plan.delete, ...replaced] };
  const isSettled = first.create.length === 0 && first.delete.length === 0;
  const pods = podChanges(input, isSettled ? planUpdate(input) : first);
  // Events of failed pods tell why they are deleted, so they come before that.
  return {
    about: set,
    events,
    reviewInMs: waitMs,
    next: () => ({ about: set, pods, next: () => finish(input, current) }),
  };
}

function failedPods({ set, failedPodWaitMs }: DaemonSetInput, failed: readonly { pod: Pod; node: string }[]) {
  const replaced: Pod[] = [];
  const events: PlannedEvent[] = [];
  let nextMs: number | undefined;
  for (const { pod, node } of failed) {
    const waitMs = failedPodWaitMs(`${set.metadata.uid} ${node}`);
    if (waitMs > 0) {
      nextMs = Math.min(nextMs ?? waitMs, waitMs);
      continue;
    }
    const message = `Found failed daemon pod ${keyOf(pod)} on node ${node}, will try to kill it`;
    events.push({ type: "Warning", reason: "FailedDaemonPod", message });
    replaced.push(pod);
  }
  return { replaced, events, waitMs: nextMs };
}

function podChanges(
  { set, owner, hash, vocabulary }: DaemonSetInput & DaemonInput,
  changes: { readonly create: readonly string[]; readonly delete: readonly Pod[] },
): PodChanges {
  const options = { owner: owner.reference, hash, vocabulary };
  return {
    create: changes.create.slice(0, burstDaemonsMax).map((node) => newPod(set, node, options)),
    delete: changes.delete.slice(0, burstDaemonsMax),
    reason: "it has ended, is out of date, or its node is not to run it or runs another",
  };
}

function finish(input: DaemonSetInput & DaemonInput, { old, collisionCount }: CurrentRevision): Plan {
  const { set, pods, isSynced, nowMs } = input;
  return {
    writes: isSynced ? surplusRevisions(set, old, pods).map(removeRevision) : [],
    status: statusOf(DaemonSet, set, daemonStatus(input, isSynced, collisionCount)),
    reviewInMs: nextAvailableInMs(pods, set.spec?.minReadySeconds ?? 0, nowMs),
  };
}

function selectsEverything({ spec }: DaemonSet): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
