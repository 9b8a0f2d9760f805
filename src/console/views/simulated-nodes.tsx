/** Nodes without machines: how they are, and acts that make them fail and recover. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { objectHealth } from "../../operations/object-health.ts";
import { type Json, part, text } from "../server/json.ts";
import { may, patchObject } from "../server/objects.ts";
import { objectOf, objectsOf } from "../state/route.ts";
import { type NodeAct, nodeActs, nodeState, simulatedNodes, troubleOf } from "../state/simulation.ts";
import { nameOf, useFollowed } from "./followed.ts";
import { ListTable } from "./list-table.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";
import { Status } from "./status.tsx";

interface SimulatedNodesOptions {
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
  const [asked, setAsked] = useState<{ readonly node: string; readonly act: NodeAct } | undefined>(undefined);
  const carryOut = (node: string, { patch }: NodeAct) => patchObject(page.connection, resource, { name: node }, patch);
  const press = (node: string, act: NodeAct) => {
    setFailure(undefined);
    if (act.question === "") carryOut(node, act).catch(setFailure);
    else setAsked({ node, act });
  };
  const error = failure ?? unread;
  if (nodes?.length === 0 && error === undefined) return null;
  return (
    <section>
      <h2>Simulated nodes</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {nodes !== undefined && nodes.length > 0 && (
        <ListTable
          stacks
          label="Simulated nodes"
          items={nodes}
          keyOf={nameOf}
          columns={[
            { name: "Node", cell: (node) => <a href={objectOf(resource, { name: nameOf(node) })}>{nameOf(node)}</a> },
            {
              name: "State",
              cell: (node) => <Status state={objectHealth("nodes", node)?.state ?? "unknown"} word={nodeState(node)} />,
            },
            { name: "Simulates", cell: troubleOf },
            { name: "Zone", cell: (node) => <bdi>{zoneOf(node)}</bdi> },
            { name: "Pods", cell: (node) => <a href={podsOn(nameOf(node))}>Pods</a> },
            mayPatch && {
              name: "Actions",
              cell: (node) => (
                <div class="acts">
                  {nodeActs
                    .filter(({ isOffered }) => isOffered(node))
                    .map((act) => (
                      <button
                        type="button"
                        key={act.name}
                        aria-label={`${act.name}: ${nameOf(node)}`}
                        onClick={() => press(nameOf(node), act)}
                      >
                        {act.name}
                      </button>
                    ))}
                </div>
              ),
            },
          ]}
        />
      )}
      {asked !== undefined && (
        <Question
          title={`${asked.act.name}: ${asked.node}`}
          act={`${asked.act.name}: ${asked.node}`}
          isDangerous
          onConfirm={() => carryOut(asked.node, asked.act)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <strong>
              <bdi>{asked.node}</bdi>
            </strong>{" "}
            is made to fail. {asked.act.question}
          </p>
        </Question>
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
  objectsOf({ group: "", version: "v1", resource: "pods" }, { fields: `spec.nodeName=${node}` });
