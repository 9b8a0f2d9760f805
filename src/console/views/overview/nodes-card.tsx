/** The nodes as tiles, with their load. */

import { objectHealth } from "../../../operations/object-health.ts";
import { part, text } from "../../server/json.ts";
import { quantityOf, shortQuantity } from "../../server/usage.ts";
import { objectOf, objectsOf } from "../../state/route.ts";
import { Card } from "../card.tsx";
import { Meter } from "../meter.tsx";
import type { Page } from "../page.ts";
import { StateIcon, stateWord } from "../status.tsx";
import type { Cluster, FollowedPods } from "./use-cluster.ts";

/** More are counted only. Those that are not well come first. */
const shownNodesMax = 48;

interface NodesCardOptions {
  readonly page: Page;
  readonly cluster: Cluster;
  readonly pods: FollowedPods;
}

export function NodesCard({ cluster, pods }: NodesCardOptions) {
  const found = cluster.objects.get("nodes");
  if (found === undefined || found.objects.length === 0) return null;
  const column = pods.table?.columns.findIndex(({ name }) => name === "Node") ?? -1;
  const onNode = new Map<string, number>();
  for (const { cells } of pods.table?.rows ?? [])
    onNode.set(cells[column] ?? "", (onNode.get(cells[column] ?? "") ?? 0) + 1);
  const tiles = found.objects
    .map((object) => ({
      object,
      health: objectHealth("nodes", object) ?? { state: "unknown" as const, word: "Unknown", why: "" },
    }))
    .sort((a, b) => Number(a.health.state === "healthy") - Number(b.health.state === "healthy"));
  return (
    <Card title={<a href={objectsOf(found.resource)}>Nodes</a>} aside={`${tiles.length}`}>
      <ul class="tiles">
        {tiles.slice(0, shownNodesMax).map(({ object, health }) => {
          const name = text(object, "metadata", "name");
          const room = part(object, "status", "allocatable");
          const used = cluster.usage?.get(name);
          const [count, most] = [onNode.get(name) ?? 0, quantityOf(text(room, "pods"))];
          const [cpu, memory] = [quantityOf(text(room, "cpu")), quantityOf(text(room, "memory"))];
          return (
            <li key={name} class={`tile is-${health.state}`}>
              <a href={objectOf(found.resource, { name })} title={health.why || undefined}>
                <StateIcon state={health.state} label={stateWord(health.state)} /> <bdi>{name}</bdi>
                {health.state !== "healthy" && <small>{health.word}</small>}
              </a>
              <Meter
                label="Pods"
                share={most === 0 ? 0 : count / most}
                figures={most === 0 ? `${count}` : `${count} of ${most}`}
              />
              {used !== undefined && cpu > 0 && (
                <Meter
                  label="CPU"
                  share={used.cpu / cpu}
                  figures={`${shortQuantity(used.cpu, false)} of ${shortQuantity(cpu, false)}`}
                />
              )}
              {used !== undefined && memory > 0 && (
                <Meter
                  label="Memory"
                  share={used.memory / memory}
                  figures={`${shortQuantity(used.memory, true)} of ${shortQuantity(memory, true)}`}
                />
              )}
            </li>
          );
        })}
      </ul>
      {tiles.length > shownNodesMax && (
        <p class="note">and {tiles.length - shownNodesMax} more, which are well or like these</p>
      )}
    </Card>
  );
}
