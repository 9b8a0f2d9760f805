/** Which pods an argument means: a pod by its name, or those that a workload chooses. */

import type { Context } from "../context.ts";
import { selectorText } from "../describe/selector.ts";
import { CtlError, UsageError } from "../errors.ts";
import type { Flag } from "../flags/flag.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, object } from "../json.ts";

export const containerFlag: Flag = {
  name: "container",
  short: "c",
  type: "text",
  help: "The container; default: the first",
};

/** Kinds that choose pods. */
const selectable = new Set([
  "DaemonSet",
  "Deployment",
  "Job",
  "ReplicaSet",
  "ReplicationController",
  "Service",
  "StatefulSet",
]);

/** The pods that an argument means: itself, or those of a workload. */
export async function podsOf(context: Context, word: string | undefined): Promise<Json[]> {
  const pods = await findResource(context, "pods");
  const selector = context.flags.has("selector") ? context.flags.text("selector") : "";
  const all = async (labelSelector: string) => {
    const found: Json[] = [];
    for await (const pod of context.api.items({ resource: pods, namespace: context.namespace }, { labelSelector }))
      found.push(pod);
    return found;
  };
  if (selector !== "") return all(selector);
  if (word === undefined)
    throw new UsageError(
      "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command",
    );
  const [type = "", name] = word.includes("/") ? word.split("/") : ["pods", word];
  const resource = await findResource(context, type);
  const object_ = await context.api.get({ resource, namespace: context.namespace, name });
  if (resource.kind === "Pod") return [object_];
  if (!selectable.has(resource.kind))
    throw new CtlError(`cannot attach to *v1.${resource.kind}: selector for *v1.${resource.kind} not implemented`);
  const owned = await all(selectorText(object(object_, "spec")["selector"]));
  if (owned.length === 0) throw new CtlError(`no pods of ${resource.name} "${name}" were found`);
  return owned.slice(0, 1);
}
