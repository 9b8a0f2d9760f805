/** How many workloads of each kind are in which state. */

import type { DiscoveredResource } from "../../../client/contract.ts";
import { type HealthState, healthStates, rowHealth } from "../../../operations/health.ts";
import { objectHealth } from "../../../operations/object-health.ts";
import type { ClusterObjects } from "../../server/cluster.ts";
import { pluralOf, purposeOf } from "../../state/nav.ts";
import { objectsOf } from "../../state/route.ts";
import { Card } from "../card.tsx";
import type { Page } from "../page.ts";
import { StateIcon, stateWord } from "../status.tsx";
import type { FollowedPods } from "./use-cluster.ts";

const shown = [
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "persistentvolumeclaims",
];

interface WorkloadsCardOptions {
  readonly page: Page;
  readonly cluster: ClusterObjects;
  readonly pods: FollowedPods;
}

type Count = Readonly<Record<HealthState, number>>;

export function WorkloadsCard({ page, cluster, pods: { table } }: WorkloadsCardOptions) {
  const columns = table?.columns.map(({ name }) => name) ?? [];
  const lines: { readonly resource: DiscoveredResource; readonly count: Count }[] = [];
  if (table !== undefined)
    lines.push({
      resource: table.resource,
      count: countOf(table.rows.map(({ cells }) => rowHealth(columns, cells) ?? "unknown")),
    });
  for (const [id, { resource, objects }] of cluster) {
    const isCustom = purposeOf(resource, page.discovery.vocabulary) === "Custom";
    const tellsItsState = objects.some((one) => objectHealth(id, one) !== undefined);
    if (tellsItsState && (isCustom || shown.includes(id)))
      lines.push({ resource, count: countOf(objects.map((one) => objectHealth(id, one)?.state ?? "unknown")) });
  }
  if (lines.length === 0) return null;
  return (
    <Card title="Workloads">
      <ul class="shares">
        {lines.map(({ resource, count }) => (
          <Share key={`${resource.resource}.${resource.group}`} resource={resource} count={count} />
        ))}
      </ul>
    </Card>
  );
}

function countOf(states: readonly HealthState[]): Count {
  const count = { healthy: 0, progressing: 0, failing: 0, unknown: 0 };
  for (const state of states) count[state] += 1;
  return count;
}

function Share({ resource, count }: { readonly resource: DiscoveredResource; readonly count: Count }) {
  const all = Object.values(count).reduce((sum, one) => sum + one, 0);
  const present = healthStates.filter((state) => count[state] > 0);
  return (
    <li>
      <a href={objectsOf(resource)}>{pluralOf(resource)}</a>
      <span class="share-counts">
        {present.map((state) => (
          <span key={state} class={`share-count is-${state}`}>
            <StateIcon state={state} label={stateWord(state)} /> {count[state]}
          </span>
        ))}
      </span>
      <span class="share-bar" aria-hidden="true">
        {present.toReversed().map((state) => (
          <span key={state} class={`is-${state}`} style={{ width: `${(count[state] / all) * 100}%` }} />
        ))}
      </span>
    </li>
  );
}
