/** Rolls back to an earlier revision, which the annotation of v1beta1's rollbackTo requests. */

import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { PlannedEvent } from "../plan.ts";
import { lastRevision, revisionIn, revisionOf } from "./annotations.ts";
import { type DeploymentKeys, rollbackTo } from "./keys.ts";
import { sameTemplate, withoutHash } from "./replica-sets.ts";

/** The requested revision; 0: the previous one; undefined: no rollback is requested. */
export const rollbackRevision = (deployment: Deployment): bigint | undefined =>
  revisionIn(deployment.metadata.annotations, rollbackTo);

/** The Deployment without the annotation, and with the template of that revision where there is one. */
export function rollBack(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  keys: DeploymentKeys,
): { replacement: Deployment; event: PlannedEvent } {
  const asked = rollbackRevision(deployment) ?? 0n;
  const revision = asked === 0n ? lastRevision(sets, keys) : asked;
  const target = revision === 0n ? undefined : sets.find((set) => revisionOf(set, keys) === revision);
  if (target === undefined) {
    const message = asked === 0n ? "Unable to find last revision." : "Unable to find the revision to rollback to.";
    const event: PlannedEvent = { type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message };
    return { replacement: cleared(deployment), event };
  }
  const { name } = deployment.metadata;
  if (sameTemplate(deployment.spec?.template, target.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    const event: PlannedEvent = { type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", message };
    return { replacement: cleared(deployment), event };
  }
  const message = `Rolled back deployment "${name}" to revision ${revision}`;
  return {
    replacement: cleared(withTemplateOf(deployment, target, keys)),
    event: { type: "Normal", reason: "DeploymentRollback", message },
  };
}

/** The annotations of that revision are restored with the template. */
function withTemplateOf(deployment: Deployment, target: ReplicaSet, keys: DeploymentKeys): Deployment {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => keys.own.has(key));
  const earlier = Object.entries(target.metadata.annotations ?? {}).filter(([key]) => !keys.own.has(key));
  const template = withoutHash(target.spec?.template) ?? {};
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: Object.fromEntries([...own, ...earlier]) },
    spec: { ...deployment.spec, template },
  };
}

function cleared(deployment: Deployment): Deployment {
  const { [rollbackTo]: _, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
