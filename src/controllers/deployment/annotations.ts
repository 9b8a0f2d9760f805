/** Revisions and sizes in the annotations of replica sets. */

import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { DeploymentKeys } from "./keys.ts";
import { maxSurge, wanted } from "./limits.ts";

/** The longest list of revisions that a replica set has had; the oldest are dropped. */
const revisionHistoryCharsMax = 2_000;

type Annotations = Record<string, string>;

/** Absent and unreadable are undefined. */
export function numberIn(annotations: Annotations | undefined, key: string): number | undefined {
  const text = annotations?.[key];
  return text !== undefined && /^[+-]?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

export const revisionOf = (set: ReplicaSet, keys: DeploymentKeys): number =>
  numberIn(set.metadata.annotations, keys.revision) ?? 0;

export const maxRevision = (sets: readonly ReplicaSet[], keys: DeploymentKeys): number =>
  Math.max(0, ...sets.map((set) => revisionOf(set, keys)));

/** The second highest: the revision before the current one. 0: there is none. */
export function lastRevision(sets: readonly ReplicaSet[], keys: DeploymentKeys): number {
  const revisions = sets.map((set) => revisionOf(set, keys)).sort((a, b) => b - a);
  return revisions[1] ?? 0;
}

/** The annotations of the new replica set: those of the Deployment, and its revision. */
export function newSetAnnotations(
  deployment: Deployment,
  set: ReplicaSet,
  revision: number,
  keys: DeploymentKeys,
): Annotations {
  const next: Annotations = { ...set.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!keys.own.has(key)) next[key] = value;
  }
  const before = next[keys.revision];
  const beforeNumber = before === undefined || before === "" ? 0 : numberIn(next, keys.revision);
  // Another writer has set the annotation: keep it.
  if (beforeNumber === undefined || beforeNumber >= revision) return next;
  next[keys.revision] = String(revision);
  if (before !== undefined) next[keys.history] = longerHistory(next[keys.history] ?? "", before);
  return next;
}

/** A set that is rolled back to keeps its former revisions. */
function longerHistory(history: string, revision: string): string {
  const revisions = history === "" ? [] : history.split(",");
  while (revisions.length > 0 && [...revisions, revision].join(",").length > revisionHistoryCharsMax) revisions.shift();
  return [...revisions, revision].join(",");
}

/** The sizes that distinguish a later change of `replicas` from a rollout. */
export function sizeAnnotations(deployment: Deployment, keys: DeploymentKeys): Annotations {
  const replicas = wanted(deployment);
  return { [keys.desired]: String(replicas), [keys.max]: String(replicas + maxSurge(deployment)) };
}
