/** The revisions of a DaemonSet: the one of its template, and which old ones are kept. */

import type { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Owner } from "../parts/ownership/ownership.ts";
import { createRevision, raiseRevision } from "../parts/revisions/control.ts";
import { templateHash } from "../parts/revisions/hash.ts";
import { nextRevision, podRevisionLabel, revisionData, sameData } from "../parts/revisions/history.ts";
import type { Plan } from "../plan.ts";

export interface CurrentRevision {
  /** The hash of the current template. */
  readonly hash: string;
  readonly old: readonly ControllerRevision[];
  readonly collisionCount: number | undefined;
}

const historyLimitDefault = 10;

const hashOf = ({ metadata }: ControllerRevision) => metadata.labels?.[podRevisionLabel] ?? metadata.name ?? "";

/** The revision of the current template is found, raised to the newest, or created; then comes what `then` plans. */
export function withCurrentRevision(
  set: DaemonSet,
  owner: Owner,
  known: readonly ControllerRevision[],
  then: (current: CurrentRevision) => Plan,
): Plan {
  const { template } = set.spec ?? {};
  const { collisionCount } = set.status ?? {};
  const data = revisionData(template);
  const same = known.filter((revision) => sameData(revision, data));
  const old = known.filter((revision) => !same.includes(revision));
  const number = nextRevision(old);
  const found = same.at(-1);
  if (found !== undefined) {
    const next = () => then({ hash: hashOf(found), old: [...same.slice(0, -1), ...old], collisionCount });
    return found.revision < number ? raiseRevision({ ...found, revision: number }, next) : next();
  }
  const revision = {
    data,
    number,
    labels: { ...template?.metadata?.labels },
    annotations: { ...set.metadata.annotations },
    hashOf(count: number) {
      const hash = templateHash(template, count === 0 ? undefined : count);
      return { hash, labels: { [podRevisionLabel]: hash } };
    },
  };
  return createRevision(owner, revision, collisionCount ?? 0, (made, count) =>
    then({ hash: hashOf(made), old, collisionCount: count === 0 ? collisionCount : count }),
  );
}

/** The oldest revisions without pods, beyond those that are kept. */
export function surplusRevisions(
  set: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): readonly ControllerRevision[] {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[podRevisionLabel]));
  const surplus = old.length - (set.spec?.revisionHistoryLimit ?? historyLimitDefault);
  return old.filter((revision) => !live.has(hashOf(revision))).slice(0, Math.max(0, surplus));
}
