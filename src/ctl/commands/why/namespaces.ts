/** Why a namespace is not gone yet. */

import type { Context } from "../../context.ts";
import { everyResource } from "../../input/everything.ts";
import { type Json, list, nameOf, nameText, text, texts } from "../../json.ts";
import type { Explainer } from "./explanation.ts";

export const namespaceExplainer: Explainer = {
  kind: "Namespace",
  group: "",
  async explain() {
    return { summary: "is active", lines: [] };
  },
};

/** What is left in a namespace that is being deleted. */
export async function leftInNamespace(context: Context, namespace: Json): Promise<string[]> {
  const lines = texts(namespace, "spec", "finalizers").map(
    (one) => `finalizer ${one} of the namespace, until it is empty`,
  );
  for (const condition of list(namespace, "status", "conditions"))
    if (condition["status"] === "True") lines.push(`${text(condition, "type")}: ${text(condition, "message")}`);
  for (const resource of (await everyResource(context)).filter(({ namespaced }) => namespaced)) {
    const found: Json[] = [];
    try {
      for await (const one of context.at(resource).items({ namespace: nameOf(namespace) })) found.push(one);
    } catch {
      continue; // objects that the caller may not list cannot be reported
    }
    if (found.length > 0) lines.push(`${found.length} ${resource.resource} left`);
    for (const one of found)
      for (const finalizer of texts(one, "metadata", "finalizers"))
        lines.push(`  ${nameText(one)} has finalizer ${finalizer}`);
  }
  return lines;
}
