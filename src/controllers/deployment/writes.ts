/** The requests of what was decided about a Deployment: its replica sets one after the other, then itself and its status. */

import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import { isControlledBy } from "../parts/ownership/controller-ref.ts";
import { create, messageOf, type Plan, type PlannedEvent, read, remove, update, updateStatus } from "../plan.ts";
import { newCondition, withCondition } from "./conditions.ts";
import { progressDeadlineMs } from "./limits.ts";
import { sameTemplate } from "./replica-sets.ts";
import type { DeploymentPlan, SetWrite } from "./rollout.ts";

/** `at`: the next of `plan.sets` to write. */
export function writesOf(deployment: Deployment, plan: DeploymentPlan, nowMs: number, at = 0): Plan {
  const write = plan.sets[at];
  if (write === undefined) {
    const { replacement, status, events, reviewInMs } = plan;
    return {
      about: deployment,
      writes: replacement === undefined ? [] : [update(Deployment, replacement)],
      status: status && updateStatus(Deployment, status),
      events,
      reviewInMs,
    };
  }
  return {
    about: deployment,
    writes: [requestOf(write)],
    next: () => writesOf(deployment, plan, nowMs, at + 1),
    ...(write.verb === "create" ? { failed: (error) => afterFailedCreate(deployment, write.set, error, nowMs) } : {}),
  };
}

function requestOf({ verb, set, events }: SetWrite) {
  if (verb === "create") return create(ReplicaSet, set, { events });
  if (verb === "update") return update(ReplicaSet, set, { events });
  return remove(ReplicaSet, splitKey(keyOf(set)), { reason: "there are more than revisionHistoryLimit" }, { events });
}

function afterFailedCreate(deployment: Deployment, set: ReplicaSet, error: unknown, nowMs: number): Plan | undefined {
  if (isNamespaceTerminating(error)) return undefined;
  if (!hasReason(error, "AlreadyExists")) return reportFailure(deployment, set, error, nowMs);
  const existing = read(ReplicaSet, splitKey(keyOf(set)));
  return {
    recovered: true,
    reads: [existing],
    next(done) {
      const found = done.of(existing);
      const isOurs = found !== undefined && isControlledBy(found, deployment);
      // The cache is stale, and so is the plan. The event of the missing set enqueues the key again.
      if (isOurs && sameTemplate(found.spec?.template, set.spec?.template)) return undefined;
      return countCollision(deployment);
    },
  };
}

/** Another template has the same hash: the next name is made with the count. The change of the status starts the next pass. */
function countCollision(deployment: Deployment): Plan {
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  return { status: updateStatus(Deployment, { ...deployment, status: { ...deployment.status, collisionCount } }) };
}

function reportFailure(deployment: Deployment, set: ReplicaSet, error: unknown, nowMs: number): Plan {
  const reason = "ReplicaSetCreateError";
  const message = `Failed to create new replica set "${set.metadata.name}": ${messageOf(error)}`;
  const event: PlannedEvent = { type: "Warning", reason, message };
  if (progressDeadlineMs(deployment) === undefined) return { about: deployment, events: [event] };
  const condition = newCondition("Progressing", "False", reason, message, nowMs);
  const conditions = withCondition(deployment.status?.conditions ?? [], condition);
  const status = updateStatus(Deployment, { ...deployment, status: { ...deployment.status, conditions } });
  return { about: deployment, events: [event], next: () => ({ status }) };
}
