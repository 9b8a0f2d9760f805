/** Empties a node after a question with its pods: it is cordoned, then its pods are evicted one after the other. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { cordonPatch } from "../../operations/acts.ts";
import { evict, type NodePod, podsOnNode } from "../server/drain.ts";
import { type Json, text } from "../server/json.ts";
import { patchObject } from "../server/objects.ts";
import { ErrorNote, Waiting } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";

interface DrainQuestionOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly onClose: () => void;
}

/** More pods are counted. */
const namedPodsMax = 50;

const fates: Readonly<Record<NodePod["fate"], string>> = {
  leaves: "",
  stays: "stays",
  lost: "leaves, and nothing makes it again",
};

export function DrainQuestion({ page, resource, object, onClose }: DrainQuestionOptions) {
  const node = text(object, "metadata", "name");
  const [pods, setPods] = useState<readonly NodePod[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [done, setDone] = useState(0);
  const podResource = page.discovery.find("pods");
  const drained = podResource && { ...page, resource: podResource };
  useEffect(() => {
    if (drained !== undefined) podsOnNode(drained, node).then(setPods, setError);
  }, []);
  const leaving = (pods ?? []).filter(({ fate }) => fate !== "stays");
  const drain = async () => {
    if (drained === undefined) return;
    await patchObject(page.connection, resource, { name: node }, cordonPatch(true));
    const refusals: string[] = [];
    for (const [at, pod] of leaving.entries()) {
      await evict(drained, pod).catch((failure: unknown) =>
        refusals.push(`${pod.namespace}/${pod.name}: ${failure instanceof Error ? failure.message : String(failure)}`),
      );
      setDone(at + 1);
    }
    if (refusals.length > 0) throw new Error(`Not all pods could be evicted. ${refusals.join("; ")}`);
  };
  return (
    <Question title="Drain Node" act={`Drain ${node}`} isDangerous onConfirm={drain} onClose={onClose}>
      <p>
        <strong>
          <bdi>{node}</bdi>
        </strong>{" "}
        takes no new pods, and its pods are evicted as far as their disruption budgets allow it.
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      {pods === undefined && error === undefined && <Waiting what="its pods" />}
      {pods?.length === 0 && <p>It has no pods.</p>}
      <ul class="names">
        {pods?.slice(0, namedPodsMax).map(({ name, namespace, fate }) => (
          <li key={`${namespace}/${name}`}>
            <bdi>{name}</bdi>{" "}
            <small>
              in {namespace}
              {fates[fate] !== "" && `, ${fates[fate]}`}
            </small>
          </li>
        ))}
      </ul>
      {pods !== undefined && pods.length > namedPodsMax && <p>and {pods.length - namedPodsMax} more</p>}
      {done > 0 && (
        <p role="status">
          {done} of {leaving.length} are evicted or refused.
        </p>
      )}
    </Question>
  );
}
