/** The replica set with the current template: found and updated, or created. */

import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { LabelSelector } from "../../api/meta/label-selector.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { controllerRef } from "../parts/ownership/controller-ref.ts";
import { templateHash } from "../parts/revisions/hash.ts";
import { newSetAnnotations, nextRevision, sizeAnnotations } from "./annotations.ts";
import { conditionOf, newCondition, withCondition } from "./conditions.ts";
import { hashLabel } from "./keys.ts";
import { isRollingUpdate, maxSurge, progressDeadlineMs, wanted } from "./limits.ts";
import { findNew, size, sum } from "./replica-sets.ts";
import type { Rollout } from "./rollout.ts";

interface FoundSets {
  readonly newest: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** `create`: whether a missing one is made. */
export function syncRevisions(rollout: Rollout, sets: readonly ReplicaSet[], create: boolean): FoundSets {
  const { deployment, context } = rollout;
  const found = findNew(sets, deployment.spec?.template);
  const old = sets.filter((set) => set.metadata.uid !== found?.metadata.uid);
  const revision = nextRevision(old, context.keys);
  if (found !== undefined) return { newest: keepUpToDate(rollout, found, revision), old };
  return { newest: create ? make(rollout, old, revision) : undefined, old };
}

function keepUpToDate(rollout: Rollout, given: ReplicaSet, revision: bigint): ReplicaSet {
  const { deployment, context } = rollout;
  const set = rollout.current(given);
  const annotations = newSetAnnotations(deployment, set, revision, context.keys);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isCurrent =
    sameValue(set.metadata.annotations ?? {}, annotations) && (set.spec?.minReadySeconds ?? 0) === minReadySeconds;
  const next = isCurrent
    ? set
    : rollout.write("update", {
        ...set,
        metadata: { ...set.metadata, annotations },
        spec: { ...set.spec, minReadySeconds },
      });
  const written = annotations[context.keys.revision];
  if (written !== undefined) rollout.annotations[context.keys.revision] = written;
  if (progressDeadlineMs(deployment) !== undefined && conditionOf(rollout.status, "Progressing") === undefined) {
    progress(rollout, "FoundNewReplicaSet", `Found new replica set "${set.metadata.name}"`);
  }
  return next;
}

function make(rollout: Rollout, old: readonly ReplicaSet[], revision: bigint): ReplicaSet {
  const { deployment, context } = rollout;
  const template = deployment.spec?.template ?? {};
  const hash = templateHash(template, rollout.status.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const empty: ReplicaSet = {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(deployment.metadata.namespace === undefined ? {} : { namespace: deployment.metadata.namespace }),
      labels,
      ownerReferences: [controllerRef(deployment, context.owner)],
    },
    spec: {
      replicas: 0,
      minReadySeconds: deployment.spec?.minReadySeconds ?? 0,
      selector: withLabel(deployment.spec?.selector, hash),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  const replicas = newSize(rollout, [...old, empty], empty);
  const annotations = {
    ...newSetAnnotations(deployment, empty, revision, context.keys),
    ...sizeAnnotations(deployment, context.keys),
  };
  const set: ReplicaSet = { ...empty, metadata: { ...empty.metadata, annotations }, spec: { ...empty.spec, replicas } };
  const message = `Scaled up replica set ${set.metadata.name} to ${replicas}`;
  rollout.write("create", set, replicas > 0 ? { type: "Normal", reason: "ScalingReplicaSet", message } : undefined);
  rollout.annotations[context.keys.revision] = String(revision);
  if (progressDeadlineMs(deployment) !== undefined) {
    progress(rollout, "NewReplicaSetCreated", `Created new replica set "${set.metadata.name}"`);
  }
  return set;
}

/** How many pods the new set may have now. */
export function newSize({ deployment }: Rollout, all: readonly ReplicaSet[], newest: ReplicaSet): number {
  if (!isRollingUpdate(deployment)) return wanted(deployment);
  // Pods of a set that was just scaled down are there until it has deleted them, and are part of the surge until then.
  const present = sum(all, (set) => Math.max(size(set), set.status?.replicas ?? 0));
  const room = wanted(deployment) + maxSurge(deployment) - present;
  if (room <= 0) return size(newest);
  return size(newest) + Math.min(room, wanted(deployment) - size(newest));
}

function progress(rollout: Rollout, reason: string, message: string): void {
  const condition = newCondition("Progressing", "True", reason, message, rollout.context.nowMs);
  rollout.status = { ...rollout.status, conditions: withCondition(rollout.status.conditions ?? [], condition) };
}

const withLabel = (selector: LabelSelector | null | undefined, hash: string): LabelSelector => ({
  ...selector,
  matchLabels: { ...selector?.matchLabels, [hashLabel]: hash },
});
