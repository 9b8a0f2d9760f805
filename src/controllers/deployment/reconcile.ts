/** One pass over a Deployment: from it and its replica sets to the writes of the next step. */

import type { Deployment, DeploymentStatus } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { revisionOf } from "./annotations.ts";
import { conditionOf, newCondition, withCondition } from "./conditions.ts";
import { historyLimit, isRollingUpdate, progressDeadlineMs, wanted } from "./limits.ts";
import { syncRevisions } from "./new-replica-set.ts";
import { oldPodsRun, scaleDownOld } from "./recreate.ts";
import { findNew, oldestFirst, size } from "./replica-sets.ts";
import { rollBack, rollbackRevision } from "./rollback.ts";
import { rollOn } from "./rolling.ts";
import { type DeploymentPlan, Rollout, type RolloutContext } from "./rollout.ts";
import { isScalingEvent, scale } from "./scaling.ts";
import { countedStatus, isComplete, reviewInMs, rolloutStatus } from "./status.ts";

interface DeploymentInput {
  readonly deployment: Deployment;
  /** Those it controls. */
  readonly sets: readonly ReplicaSet[];
  /** Pods that have not ended, by the uid of the replica set that controls them; only Recreate needs it. */
  readonly podsBySet: () => ReadonlyMap<string, readonly Pod[]>;
}

type StatusRule = typeof countedStatus;

export function planDeployment(input: DeploymentInput, context: RolloutContext): DeploymentPlan {
  const { deployment, sets } = input;
  if (selectsEverything(deployment)) return refuseSelector(deployment);
  const rollout = new Rollout(deployment, context);
  if (isDeleting(deployment)) {
    syncRevisions(rollout, sets, false);
    return finish(rollout, sets, countedStatus);
  }
  reportPause(rollout);
  if (deployment.spec?.paused) return scaleOnly(rollout, sets);
  if (rollbackRevision(deployment) !== undefined) return rollBackPlan(rollout, sets);
  const { newest, old } = syncRevisions(rollout, sets, false);
  if (isScalingEvent(rollout, newest === undefined ? old : [...old, newest])) return scaleOnly(rollout, sets);
  return isRollingUpdate(deployment) ? rolling(rollout, sets) : recreate(rollout, input);
}

function rolling(rollout: Rollout, sets: readonly ReplicaSet[]): DeploymentPlan {
  const { newest, old } = syncRevisions(rollout, sets, true);
  const moved = newest !== undefined && rollOn(rollout, newest, old);
  if (!moved && isComplete(rollout.deployment, rollout.status)) cleanUp(rollout, old);
  return finish(rollout, sets, rolloutStatus);
}

function recreate(rollout: Rollout, { sets, podsBySet }: DeploymentInput): DeploymentPlan {
  const { newest, old } = syncRevisions(rollout, sets, false);
  if (scaleDownOld(rollout, old)) return finish(rollout, sets, rolloutStatus);
  if (oldPodsRun(newest, old, podsBySet())) return finish(rollout, sets, rolloutStatus);
  const made = newest ?? syncRevisions(rollout, sets, true).newest;
  if (made !== undefined && size(made) !== wanted(rollout.deployment)) {
    rollout.scale(made, wanted(rollout.deployment));
  }
  if (isComplete(rollout.deployment, rollout.status)) cleanUp(rollout, old);
  return finish(rollout, sets, rolloutStatus);
}

function scaleOnly(rollout: Rollout, sets: readonly ReplicaSet[]): DeploymentPlan {
  const { newest, old } = syncRevisions(rollout, sets, false);
  scale(rollout, newest, old);
  if (rollout.deployment.spec?.paused && rollbackRevision(rollout.deployment) === undefined) cleanUp(rollout, old);
  return finish(rollout, sets, countedStatus);
}

/** The rollout itself follows when the change of the Deployment is observed. */
function rollBackPlan(rollout: Rollout, sets: readonly ReplicaSet[]): DeploymentPlan {
  const { newest, old } = syncRevisions(rollout, sets, true);
  const all = newest === undefined ? old : [...old, newest];
  const { replacement, event } = rollBack(rollout.deployment, all, rollout.context.keys);
  return { sets: rollout.writes, replacement, events: [event] };
}

/** A paused rollout is not late, and the Progressing condition reports the pause. */
function reportPause(rollout: Rollout): void {
  const { deployment, context } = rollout;
  const current = conditionOf(rollout.status, "Progressing");
  if (progressDeadlineMs(deployment) === undefined || current?.reason === "ProgressDeadlineExceeded") return;
  const isReported = current?.reason === "DeploymentPaused";
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === isReported) return;
  const [reason, message] = isPaused
    ? ["DeploymentPaused", "Deployment is paused"]
    : ["DeploymentResumed", "Deployment is resumed"];
  const condition = newCondition("Progressing", "Unknown", reason, message, context.nowMs);
  rollout.status = { ...rollout.status, conditions: withCondition(rollout.status.conditions ?? [], condition) };
}

/** Deletes the sets without pods of the lowest revisions, beyond the history that is kept. */
function cleanUp(rollout: Rollout, old: readonly ReplicaSet[]): void {
  const limit = historyLimit(rollout.deployment);
  if (limit === undefined) return;
  const revision = (set: ReplicaSet) => revisionOf(set, rollout.context.keys);
  const candidates = old
    .filter((set) => !isDeleting(set))
    .sort((a, b) => (revision(a) < revision(b) ? -1 : revision(a) > revision(b) ? 1 : oldestFirst(a, b)));
  for (const set of candidates.slice(0, Math.max(0, candidates.length - limit))) {
    const isSynced = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
    if (size(set) === 0 && (set.status?.replicas ?? 0) === 0 && isSynced) rollout.write("delete", set);
  }
}

function finish(rollout: Rollout, given: readonly ReplicaSet[], statusRule: StatusRule): DeploymentPlan {
  const { deployment, context, writes } = rollout;
  const created = writes.filter(({ verb }) => verb === "create").map(({ set }) => set);
  const all = [...given.map((set) => rollout.current(set)), ...created];
  const newest = findNew(all, deployment.spec?.template);
  const status = statusRule(deployment, { all, newest }, rollout.status, context.nowMs);
  const annotated = sameValue(deployment.metadata.annotations ?? {}, rollout.annotations);
  const isCurrent = annotated && sameValue(deployment.status, status);
  const inMs = reviewInMs(deployment, status, context.nowMs);
  return {
    sets: writes,
    events: rollout.events,
    ...(isCurrent ? {} : { status: withStatus(deployment, rollout.annotations, status) }),
    ...(inMs === undefined ? {} : { reviewInMs: inMs }),
  };
}

function withStatus(deployment: Deployment, annotations: Record<string, string>, status: DeploymentStatus): Deployment {
  return { ...deployment, metadata: { ...deployment.metadata, annotations }, status };
}

function selectsEverything(deployment: Deployment): boolean {
  const { matchLabels = {}, matchExpressions = [] } = deployment.spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function refuseSelector(deployment: Deployment): DeploymentPlan {
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  const { generation = 0 } = deployment.metadata;
  const isSeen = (deployment.status?.observedGeneration ?? 0) >= generation;
  const status = { ...deployment.status, observedGeneration: generation };
  return {
    sets: [],
    events: [{ type: "Warning", reason: "SelectingAll", message }],
    ...(isSeen ? {} : { status: { ...deployment, status } }),
  };
}
