/** The status of a Deployment: the sums of its replica sets, and the progress of its rollout. */

import type { Deployment, DeploymentCondition, DeploymentStatus } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { lookAgainMs } from "../../base/clock.ts";
import { counted } from "../parts/counted.ts";
import { timeMs } from "../parts/pods/state.ts";
import { conditionOf, newCondition, withCondition, without } from "./conditions.ts";
import { maxUnavailable, progressDeadlineMs, wanted } from "./limits.ts";
import { actual, sum, totalAvailable, totalSize } from "./replica-sets.ts";

interface Sets {
  readonly all: readonly ReplicaSet[];
  /** The one with the current template; undefined: it does not exist yet. */
  readonly newest: ReplicaSet | undefined;
}

/** Counts and availability, without progress. `before`: the status as changed so far in this pass. */
export function countedStatus(
  deployment: Deployment,
  { all, newest }: Sets,
  before: DeploymentStatus,
  nowMs: number,
): DeploymentStatus {
  const availableReplicas = totalAvailable(all);
  const isAvailable = availableReplicas >= wanted(deployment) - maxUnavailable(deployment);
  const availability = isAvailable
    ? newCondition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", nowMs)
    : newCondition(
        "Available",
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
        nowMs,
      );
  return {
    ...counted({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: actual(all),
      updatedReplicas: newest === undefined ? 0 : actual([newest]),
      readyReplicas: sum(all, (set) => set.status?.readyReplicas ?? 0),
      availableReplicas,
      unavailableReplicas: Math.max(0, totalSize(all) - availableReplicas),
    }),
    ...terminatingIn(all),
    conditions: withCondition(before.conditions ?? [], availability),
    ...(before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount }),
  };
}

/** Unknown until every replica set says it. */
function terminatingIn(all: readonly ReplicaSet[]): Pick<DeploymentStatus, "terminatingReplicas"> {
  const counts = all.flatMap(({ status }) => status?.terminatingReplicas ?? []);
  const isKnown = counts.length > 0 && counts.length === all.length;
  return !isKnown ? {} : { terminatingReplicas: counts.reduce((total, count) => total + count, 0) };
}

/** Also says, during a rollout, whether it is complete, moves on, or has made no progress in time. */
export function rolloutStatus(
  deployment: Deployment,
  sets: Sets,
  before: DeploymentStatus,
  nowMs: number,
): DeploymentStatus {
  const status = countedStatus(deployment, sets, before, nowMs);
  let conditions = status.conditions ?? [];
  const deadlineMs = progressDeadlineMs(deployment);
  if (deadlineMs === undefined) conditions = without(conditions, "Progressing");
  const current = conditionOf(before, "Progressing");
  const wasComplete =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === "NewReplicaSetAvailable";
  if (deadlineMs !== undefined && !wasComplete) {
    conditions = withProgress(deployment, sets, { status, current, conditions, deadlineMs, nowMs });
  }
  const failure = replicaFailure(sets);
  conditions = failure === undefined ? without(conditions, "ReplicaFailure") : withCondition(conditions, failure);
  return { ...status, conditions };
}

interface Progress {
  readonly status: DeploymentStatus;
  readonly current: DeploymentCondition | undefined;
  readonly conditions: DeploymentCondition[];
  readonly deadlineMs: number;
  readonly nowMs: number;
}

function withProgress(deployment: Deployment, { newest }: Sets, progress: Progress): DeploymentCondition[] {
  const { status, current, conditions, deadlineMs, nowMs } = progress;
  const subject =
    newest === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newest.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, newCondition("Progressing", "True", "NewReplicaSetAvailable", message, nowMs));
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const condition = newCondition("Progressing", "True", "ReplicaSetUpdated", `${subject} is progressing.`, nowMs);
    // Every step counts, so its time is kept even though status and reason stay the same.
    if (current?.status === "True") condition.lastTransitionTime = current.lastTransitionTime ?? null;
    return withCondition(without(conditions, "Progressing"), condition);
  }
  if (isLate(current, deadlineMs, nowMs)) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, newCondition("Progressing", "False", "ProgressDeadlineExceeded", message, nowMs));
  }
  return conditions;
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = wanted(deployment);
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isLate(current: DeploymentCondition | undefined, deadlineMs: number, nowMs: number): boolean {
  if (current === undefined || current.reason === "NewReplicaSetAvailable") return false;
  if (current.reason === "ProgressDeadlineExceeded") return true;
  return (timeMs(current.lastUpdateTime) ?? 0) + deadlineMs < nowMs;
}

/** When to check whether a rollout is late, because no watch event does; undefined: it is complete, late or unlimited. */
export function reviewInMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const deadlineMs = progressDeadlineMs(deployment);
  const current = conditionOf(status, "Progressing");
  if (deadlineMs === undefined || current === undefined) return undefined;
  if (isComplete(deployment, status) || current.reason === "ProgressDeadlineExceeded") return undefined;
  // A second more than the deadline, since times are kept to the second.
  const leftMs = (timeMs(current.lastUpdateTime) ?? 0) + deadlineMs - nowMs;
  return Math.max(1_000, lookAgainMs(leftMs, deadlineMs) + 1_000);
}

/** The replica sets report that pods cannot be created; the new one takes precedence. */
function replicaFailure({ all, newest }: Sets): DeploymentCondition | undefined {
  for (const set of newest === undefined ? all : [newest, ...all]) {
    const failure = set.status?.conditions?.find(({ type }) => type === "ReplicaFailure");
    if (failure === undefined) continue;
    const { status, reason = "", message = "", lastTransitionTime = null } = failure;
    return { type: "ReplicaFailure", status, reason, message, lastTransitionTime, lastUpdateTime: lastTransitionTime };
  }
  return undefined;
}
