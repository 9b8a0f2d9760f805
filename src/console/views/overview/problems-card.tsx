/** What is wrong, by cause. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { podHealth } from "../../../operations/pod-health.ts";
import { type ClusterObjects, readOne } from "../../server/cluster.ts";
import { type ProblemGroup, problemGroups } from "../../state/cluster-problems.ts";
import { pluralOf } from "../../state/nav.ts";
import { objectOf, objectsOf } from "../../state/route.ts";
import { Card } from "../card.tsx";
import type { Page } from "../page.ts";
import { Status } from "../status.tsx";
import type { FollowedPods } from "./use-cluster.ts";

/** How many causes are shown. */
const shownGroupsMax = 30;
/** For so many a pod is read, to say why. */
const explainedMax = 10;
const namedMax = 3;

interface ProblemsCardOptions {
  readonly page: Page;
  readonly cluster: ClusterObjects;
  readonly pods: FollowedPods;
  readonly isLost: boolean;
}

export function ProblemsCard({ page, cluster, pods, isLost }: ProblemsCardOptions) {
  const groups = useMemo(() => problemGroups(cluster, pods.table, Date.now()), [cluster, pods.table?.rows]);
  const whys = useReasons(page, groups);
  const objects = groups.reduce((sum, group) => sum + group.objects.length, 0);
  const aside = groups.length === 0 ? undefined : `${objects} ${objects === 1 ? "object" : "objects"}`;
  return (
    <Card title="Problems" class="wide-card" aside={aside}>
      {groups.length === 0 && !isLost && (
        <p>
          <Status state="healthy" word="No problems" /> in {pods.table?.rows.length ?? 0} pods and what else you may
          list.
        </p>
      )}
      <ul class="problems">
        {groups.slice(0, shownGroupsMax).map((group) => (
          <Problem key={group.key} group={group} why={group.why || (whys.get(group.key) ?? "")} />
        ))}
      </ul>
      {groups.length > shownGroupsMax && <p class="note">and {groups.length - shownGroupsMax} more causes</p>}
    </Card>
  );
}

function Problem({ group, why }: { readonly group: ProblemGroup; readonly why: string }) {
  const { resource, owner, namespace, objects, state, word } = group;
  const [first] = objects;
  const isOne = objects.length === 1;
  const filter = isOne ? "" : owner || word;
  return (
    <li>
      <Status state={state} word={word} />
      <div class="problem">
        <p>
          <a
            href={
              isOne && first !== undefined
                ? objectOf(resource, first)
                : `${objectsOf(resource, { namespace })}${namespace === "" ? "?" : "&"}filter=${encodeURIComponent(filter)}`
            }
          >
            {isOne ? (
              <>
                {resource.kind} <bdi>{first?.name}</bdi>
              </>
            ) : (
              <>
                {objects.length} {pluralOf(resource)}
                {owner !== "" && (
                  <>
                    {" "}
                    of <bdi>{owner}</bdi>
                  </>
                )}
              </>
            )}
          </a>
          {namespace !== "" && (
            <small>
              {" "}
              in <bdi>{namespace}</bdi>
            </small>
          )}
        </p>
        {why !== "" && (
          <p class="why">
            <bdi>{why}</bdi>
          </p>
        )}
        {!isOne && owner === "" && (
          <p class="why">
            {objects.slice(0, namedMax).map(({ name }, at) => (
              <>
                {at > 0 && ", "}
                <bdi>{name}</bdi>
              </>
            ))}
            {objects.length > namedMax && ` and ${objects.length - namedMax} more`}
          </p>
        )}
      </div>
    </li>
  );
}

/** Rows do not say why: one pod of each cause is read. */
function useReasons(page: Page, groups: readonly ProblemGroup[]): ReadonlyMap<string, string> {
  const [whys, setWhys] = useState<ReadonlyMap<string, string>>(new Map());
  const wanted = groups
    .filter(({ why, resource }) => why === "" && resource.resource === "pods")
    .slice(0, explainedMax);
  const names = wanted.map(({ key, objects }) => `${key} ${objects[0]?.name}`).join("\n");
  useEffect(() => {
    const ended = new AbortController();
    const read = async () => {
      for (const { key, resource, objects } of wanted) {
        const pod = objects[0] && (await readOne({ ...page, signal: ended.signal }, resource, objects[0]));
        if (ended.signal.aborted) return;
        const why = pod === undefined ? "" : podHealth(pod).why;
        if (why !== "") setWhys((before) => new Map([...before, [key, why]]));
      }
    };
    void read();
    return () => ended.abort();
  }, [names]);
  return whys;
}
