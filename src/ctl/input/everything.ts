/** `everything`: each type that can be listed, once. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { fullName } from "../server/resource-names.ts";
import type { Lookup } from "./lookups.ts";

/** Resources that show the objects of another resource again, or their past. */
const mirrored = new Set(["componentstatuses", "changes"]);

export async function everythingLookups(context: Context): Promise<Lookup[]> {
  const all = await everyResource(context);
  const isScoped = context.flags["all-namespaces"] !== true;
  return all
    .filter(({ namespaced }) => namespaced || !isScoped)
    .map((resource) => ({
      resource,
      namespace: resource.namespaced && isScoped ? context.namespace : "",
      name: undefined,
      object: undefined,
      source: "",
    }));
}

/** One version and group of each kind that can be listed. */
export async function everyResource(context: Context): Promise<DiscoveredResource[]> {
  const discovery = await context.discovery();
  const seen = new Set<string>();
  return discovery.preferred.filter((resource) => {
    if (!resource.verbs.includes("list") || mirrored.has(resource.resource)) return false;
    // Events and ingresses are served in two groups.
    const key =
      resource.group.includes(".") && !/\.(k8s|orch)\.io$/.test(resource.group) ? fullName(resource) : resource.kind;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}
