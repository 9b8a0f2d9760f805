/** Revisions and sizes in the annotations of replica sets. */

import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { parseInt64 } from "../../machinery/values/integer.ts";
import type { DeploymentKeys } from "./keys.ts";
import { maxSurge, wanted } from "./limits.ts";

/** The longest list of revisions that a replica set has had; the oldest are dropped. */
const revisionHistoryCharsMax = 2_000;

type Annotations = Record<string, string>;

/** A size: absent and unreadable are undefined, and so is what 32 bits do not hold. */
export function sizeIn(annotations: Annotations | undefined, key: string): number | undefined {
  const value = revisionIn(annotations, key);
  return value !== undefined && BigInt.asIntN(32, value) === value ? Number(value) : undefined;
}

/** A revision of 64 bits: absent and unreadable are undefined. */
export function revisionIn(annotations: Annotations | undefined, key: string): bigint | undefined {
  const text = annotations?.[key];
  return text === undefined ? undefined : parseInt64(text);
}

export const revisionOf = (set: ReplicaSet, keys: DeploymentKeys): bigint =>
  revisionIn(set.metadata.annotations, keys.revision) ?? 0n;

/** One more than the highest. */
export function nextRevision(sets: readonly ReplicaSet[], keys: DeploymentKeys): bigint {
  const highest = sets.map((set) => revisionOf(set, keys)).reduce((a, b) => (a > b ? a : b), 0n);
  return BigInt.asIntN(64, highest + 1n);
}

/** The second highest: the revision before the current one. 0: there is none. */
export function lastRevision(sets: readonly ReplicaSet[], keys: DeploymentKeys): bigint {
  const revisions = sets.map((set) => revisionOf(set, keys)).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  return revisions[1] ?? 0n;
}

/** The annotations of the new replica set: those of the Deployment, and its revision. */
export function newSetAnnotations(
  deployment: Deployment,
  set: ReplicaSet,
  revision: bigint,
  keys: DeploymentKeys,
): Annotations {
  const next: Annotations = { ...set.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!keys.own.has(key)) next[key] = value;
  }
  const before = next[keys.revision];
  const beforeNumber = before === undefined || before === "" ? 0n : revisionIn(next, keys.revision);
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
