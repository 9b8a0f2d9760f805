/** One pass over a StatefulSet: the revision of its template, then the steps for its pods, then the status. */

import type { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Owner } from "../parts/ownership/ownership.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { createRevision, raiseRevision, removeRevision } from "../parts/revisions/control.ts";
import { revisionHash } from "../parts/revisions/hash.ts";
import { planRevision, revisionData, surplusRevisions, templateOf } from "../parts/revisions/history.ts";
import { type Plan, statusOf } from "../plan.ts";
import { claimOwnerWrites } from "./claim-owners.ts";
import { revisionOf } from "./pod.ts";
import { requestsOf } from "./requests.ts";
import type { StatefulSetRules } from "./rules.ts";
import { planSteps } from "./steps.ts";

interface StatefulSetInput extends StatefulSetRules {
  readonly set: StatefulSet;
  readonly owner: Owner;
  /** All that it owns. */
  readonly pods: readonly Pod[];
  /** All that it owns, oldest first. */
  readonly revisions: readonly ControllerRevision[];
  /** As the cache has it. */
  readonly claimOf: (key: string) => PersistentVolumeClaim | undefined;
  readonly nowMs: number;
}

const historyLimitDefault = 10;

/** The revision of the current template is found, raised to the newest, or created; pods follow. */
export function planStatefulSet(input: StatefulSetInput): Plan {
  const { set, owner, revisions, hashLabel } = input;
  const collisionCount = set.status?.collisionCount ?? 0;
  const data = revisionData(set.spec?.template);
  const plan = planRevision(revisions, data);
  if (plan.action === "keep") return planPods(input, plan.revision, collisionCount);
  if (plan.action === "raise") {
    return raiseRevision(plan.revision, () => planPods(input, plan.revision, collisionCount));
  }
  const revision = {
    data,
    number: plan.number,
    labels: { ...set.spec?.template.metadata?.labels },
    annotations: { ...set.metadata.annotations },
    hashOf(count: number) {
      const hash = revisionHash(data, count);
      return { hash, labels: { [hashLabel]: hash } };
    },
  };
  return createRevision(owner, revision, collisionCount, (made, count) => planPods(input, made, count));
}

function planPods(input: StatefulSetInput, update: ControllerRevision, collisionCount: number): Plan {
  const { set, owner, pods, revisions, nameLabel, indexLabel, claimOf } = input;
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  const names = { current: current.metadata.name ?? "", update: update.metadata.name ?? "" };
  const templates = { current: templateOf(current), update: templateOf(update) };
  const { nowMs, countsAvailable } = input;
  const found = planSteps({ set, pods, ...names, collisionCount, nameLabel, nowMs, countsAvailable });
  const { steps, status, reviewInMs } = found;
  const context = { set, owner: owner.reference, nameLabel, indexLabel, names, templates, claimOf };
  const inUse = new Set([names.current, names.update, ...pods.map(revisionOf)]);
  const limit = set.spec?.revisionHistoryLimit ?? historyLimitDefault;
  const surplus = isDeleting(set) ? [] : surplusRevisions(revisions, inUse, limit);
  return {
    about: set,
    writes: [
      ...(isDeleting(set) ? [] : claimOwnerWrites({ set, owner: owner.reference, pods, claimOf })),
      ...steps.flatMap((step) => requestsOf(step, context)),
    ],
    status: statusOf(StatefulSet, set, status),
    reviewInMs,
    next: () => ({ writes: surplus.map(removeRevision) }),
  };
}
