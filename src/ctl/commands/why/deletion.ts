/** What an object that is being deleted still waits for. */

import type { Context } from "../../context.ts";
import { everyResource } from "../../input/everything.ts";
import type { ObjectTarget } from "../../input/targets.ts";
import { type Json, kindOf, list, namespaceOf, nameText, text, texts } from "../../json.ts";
import { podsWith } from "./claims.ts";
import { leftInNamespace } from "./namespaces.ts";

/** Finalizers that the server's own controllers remove; taking them away loses data or leaves objects behind. */
const guards: Readonly<Record<string, string>> = {
  "pvc-protection": "until no pod uses the claim",
  "pv-protection": "until no claim is bound to the volume",
  "vac-protection": "until no claim uses the class",
  "job-tracking": "until the job has counted the pod",
  foregroundDeletion: "until all that it owns is gone",
  orphan: "until all that it owns has no owner",
};

export async function deletionLines(
  context: Context,
  { object: value, resource, name }: ObjectTarget,
): Promise<string[]> {
  const lines: string[] = [];
  const finalizers = texts(value, "metadata", "finalizers");
  for (const finalizer of finalizers) {
    const guard = guardOf(finalizer);
    lines.push(`finalizer ${finalizer}: ${guard ?? "the controller that added it must remove it first"}`);
  }
  if (finalizers.some((one) => one.endsWith("/pvc-protection")))
    for (const pod of await podsWith(context, value)) lines.push(`  pod/${pod} uses it`);
  if (finalizers.includes("foregroundDeletion"))
    for (const dependent of await dependentsOf(context, value))
      lines.push(`waits for ${nameText(dependent)}, which it owns`);
  if (kindOf(value) === "Namespace") lines.push(...(await leftInNamespace(context, value)));
  const node = text(value, "spec", "nodeName");
  const grace = text(value, "metadata", "deletionGracePeriodSeconds") || "0";
  if (kindOf(value) === "Pod" && node !== "")
    lines.push(`the agent of node ${node} has ${grace}s to end it and must confirm`);
  const foreign = finalizers.filter((one) => guardOf(one) === undefined);
  if (foreign.length > 0) {
    const left = finalizers.filter((one) => !foreign.includes(one));
    const patch = JSON.stringify({ metadata: { finalizers: left.length === 0 ? null : left } });
    const where = namespaceOf(value) === "" ? "" : ` -n ${namespaceOf(value)}`;
    lines.push(
      `if that controller is gone for good, and what it would clean up may stay: ${context.program} patch ${resource.resource} ${name}${where} --type=merge -p '${patch}'`,
    );
  }
  return lines.length === 0 ? ["nothing blocks its deletion any more"] : lines;
}

const guardOf = (finalizer: string): string | undefined => guards[finalizer.slice(finalizer.lastIndexOf("/") + 1)];

/** Objects of the same namespace that name this one as an owner. */
async function dependentsOf(context: Context, owner: Json): Promise<Json[]> {
  const uid = text(owner, "metadata", "uid");
  const found: Json[] = [];
  for (const resource of await everyResource(context)) {
    try {
      const namespace = resource.namespaced ? namespaceOf(owner) : "";
      if (!resource.namespaced && namespaceOf(owner) !== "") continue;
      for await (const one of context.at(resource).items({ namespace }))
        if (list(one, "metadata", "ownerReferences").some((reference) => text(reference, "uid") === uid))
          found.push(one);
    } catch {
      // The caller may not list these.
    }
  }
  return found;
}
