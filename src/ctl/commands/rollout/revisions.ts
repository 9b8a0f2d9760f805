/** The revisions of a workload: replica sets of a deployment, controller revisions of others. */

import type { DiscoveredResource } from "../../../client/contract.ts";
import { parseInt64 } from "../../../machinery/values/integer.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { findResource } from "../../input/lookups.ts";
import type { ObjectTarget } from "../../input/targets.ts";
import { type Json, list, object, text } from "../../json.ts";

export interface Revision {
  readonly number: bigint;
  /** The object that stores it. */
  readonly object: Json;
  readonly cause: string;
}

const workloads = new Set(["Pod", "ReplicationController", "ReplicaSet", "Job", "CronJob"]);

/** The message about a kind without revisions; `noun`: "history viewer". */
export function noMethod(what: string, noun: string, { group, kind }: DiscoveredResource): string {
  const full = group === "" ? kind : `${kind}.${group}`;
  if (workloads.has(kind)) return `no ${noun} has been implemented for "${full}"`;
  return `${what} "${full}", no visitor method exists for {${group} ${kind}}`;
}

/** In the order of their numbers. */
export async function revisionsOf(context: Context, target: ObjectTarget, unsupported: string): Promise<Revision[]> {
  const { resource, namespace, object: owner } = target;
  const vocabulary = await context.vocabulary();
  const isDeployment = resource.kind === "Deployment";
  if (!isDeployment && resource.kind !== "DaemonSet" && resource.kind !== "StatefulSet")
    throw new CtlError(unsupported);
  const kept = await findResource(context, isDeployment ? "replicasets.apps" : "controllerrevisions.apps");
  const cause = vocabulary.word("orch.io/change-cause");
  const key = vocabulary.word("deployment.orch.io/revision");
  const found: Revision[] = [];
  for await (const one of context.at(kept).items({ namespace })) {
    const isOwned = list(one, "metadata", "ownerReferences").some(
      (reference) => text(reference, "uid") === text(owner, "metadata", "uid"),
    );
    if (!isOwned) continue;
    const revision = isDeployment ? text(one, "metadata", "annotations", key) : text(one, "revision");
    found.push({
      number: parseInt64(revision) ?? 0n,
      object: one,
      cause: text(one, "metadata", "annotations", cause) || "<none>",
    });
  }
  return found.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0));
}

/** The pod template of a revision. */
export function templateOf(revision: Revision): Json {
  if (text(revision.object, "kind") === "ReplicaSet") return object(revision.object, "spec", "template");
  // The patch of a controller revision replaces the whole template.
  const { $patch: _, ...template } = object(revision.object, "data", "spec", "template");
  return template;
}
