/** Nodes without machines: how they are, and acts that make them fail and recover. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, part, text } from "../server/json.ts";
import { may, patchObject } from "../server/objects.ts";
import { formatRoute, objectOf } from "../state/route.ts";
import { nodeActs, nodeState, simulatedNodes, troubleOf } from "../state/simulation.ts";
import { nameOf, useFollowed } from "./followed.ts";
import { ListTable } from "./list-table.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";

export interface SimulatedNodesOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
}

export function SimulatedNodes({ page, resource }: SimulatedNodesOptions) {
  const { objects: nodes, error: unread } = useFollowed(page, resource, { labelSelector: simulatedNodes });
  const [failure, setFailure] = useState<unknown>(undefined);
  const [mayPatch, setMayPatch] = useState(false);
  useEffect(() => {
    may("patch", { ...page, resource, ref: { name: "" } }).then(setMayPatch, () => undefined);
  }, []);
  const act = (node: Json, patch: Json) => {
    setFailure(undefined);
    patchObject(page.connection, resource, { name: nameOf(node) }, patch).catch(setFailure);
  };
  const error = failure ?? unread;
  if (nodes?.length === 0 && error === undefined) return null;
  return (
    <section>
      <h2>Simulated nodes</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {nodes !== undefined && nodes.length > 0 && (
        <ListTable
          label="Simulated nodes"
          items={nodes}
          keyOf={nameOf}
          columns={[
            { name: "Node", cell: (node) => <a href={objectOf(resource, { name: nameOf(node) })}>{nameOf(node)}</a> },
            {
              name: "State",
              cell: nodeState,
              classOf: (node) => (nodeState(node) === "Ready" ? "live" : "bad"),
            },
            { name: "Made to", cell: troubleOf },
            { name: "Zone", cell: (node) => <bdi>{zoneOf(node)}</bdi> },
            { name: "Pods", cell: (node) => <a href={podsOn(nameOf(node))}>Pods</a> },
            mayPatch && {
              name: "Act",
              cell: (node) => (
                <div class="acts">
                  {nodeActs
                    .filter(({ isOffered }) => isOffered(node))
                    .map(({ name, patch }) => (
                      <button
                        type="button"
                        key={name}
                        aria-label={`${name}: ${nameOf(node)}`}
                        onClick={() => act(node, patch)}
                      >
                        {name}
                      </button>
                    ))}
                </div>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

/** Vocabularies name the label of a zone differently. */
const zoneOf = (node: Json): string => {
  const labels = part(node, "metadata", "labels");
  return text(labels, Object.keys(labels).find((key) => /^topology\..*\/zone$/.test(key)) ?? "");
};

const podsOn = (node: string): string =>
  formatRoute({
    view: "objects",
    group: "",
    version: "v1",
    resource: "pods",
    namespace: "",
    labels: "",
    fields: `spec.nodeName=${node}`,
    filter: "",
  });
