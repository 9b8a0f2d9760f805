/** The revisions of a DaemonSet: the one of its template, and which old ones are kept. */

import type { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { RevisionControl, RevisionOwner } from "../parts/revisions/control.ts";
import { templateHash } from "../parts/revisions/hash.ts";
import { nextRevision, podRevisionLabel, revisionData, sameData } from "../parts/revisions/history.ts";

export interface DaemonHistory {
  /** The hash of the current template, from its revision: found, raised to the newest, or created. */
  current(set: DaemonSet, owner: RevisionOwner): Promise<CurrentRevision>;
  /** Deletes the oldest revisions without pods, beyond those that are kept. */
  cleanUp(set: DaemonSet, old: readonly ControllerRevision[], pods: readonly Pod[]): Promise<void>;
}

export interface CurrentRevision {
  readonly hash: string;
  readonly old: readonly ControllerRevision[];
  readonly collisionCount: number | undefined;
}

const historyLimitDefault = 10;

export function createDaemonHistory(revisions: RevisionControl): DaemonHistory {
  const hashOf = ({ metadata }: ControllerRevision) => metadata.labels?.[podRevisionLabel] ?? metadata.name ?? "";
  return {
    async current(set, owner) {
      const data = revisionData(set.spec?.template);
      const known = await revisions.list(owner);
      const same = known.filter((revision) => sameData(revision, data));
      const old = known.filter((revision) => !same.includes(revision));
      const number = nextRevision(old);
      const { collisionCount } = set.status ?? {};
      const found = same.at(-1);
      if (found !== undefined) {
        if (found.revision < number) await revisions.raise({ ...found, revision: number });
        return { hash: hashOf(found), old: [...same.slice(0, -1), ...old], collisionCount };
      }
      const { template } = set.spec ?? {};
      const made = await revisions.create(
        owner,
        {
          data,
          number,
          labels: { ...template?.metadata?.labels },
          annotations: { ...set.metadata.annotations },
          hashOf(count) {
            const hash = templateHash(template, count === 0 ? undefined : count);
            return { hash, labels: { [podRevisionLabel]: hash } };
          },
        },
        collisionCount ?? 0,
      );
      const count = made.collisionCount === 0 ? collisionCount : made.collisionCount;
      return { hash: hashOf(made.revision), old, collisionCount: count };
    },
    async cleanUp(set, old, pods) {
      const live = new Set(pods.map(({ metadata }) => metadata.labels?.[podRevisionLabel]));
      const surplus = old.length - (set.spec?.revisionHistoryLimit ?? historyLimitDefault);
      const unused = old.filter((revision) => !live.has(hashOf(revision)));
      for (const revision of unused.slice(0, Math.max(0, surplus))) await revisions.delete(revision);
    },
  };
}
