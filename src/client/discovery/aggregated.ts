/** Aggregated discovery: everything that a server serves in two documents, instead of one for each version of each group. */

import { TimeSlice } from "../../base/time-slice.ts";
import type { JsonObject } from "../../machinery/json/json-value.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { DiscoveredResource } from "../contract.ts";
import { apiVersionOf } from "../requests/address.ts";
import { type DiscoveredGroup, Discovery } from "./discovery.ts";

const kind = "APIGroupDiscoveryList";

/** A server chooses the first form that it knows; one without aggregated discovery answers with its own document. */
export const aggregatedAccept = [
  ...["v2", "v2beta1"].flatMap((version) =>
    [kubernetes, orch].map(
      (vocabulary) => `application/json;g=${vocabulary.group("apidiscovery.orch.io")};v=${version};as=${kind}`,
    ),
  ),
  "application/json",
].join(",");

export const isAggregatedDocument = (body: JsonObject): body is JsonObject & AggregatedDocument =>
  body["kind"] === kind && Array.isArray(body["items"]);

/** What is read of the documents of both versions. Members may be absent where they are empty. */
interface AggregatedDocument {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    /** The preferred one first. */
    readonly versions?: readonly AggregatedVersion[];
  }[];
}

interface AggregatedVersion {
  readonly version: string;
  /** "Stale": the server behind this one could not be reached, so that nothing may be concluded from its resources. */
  readonly freshness?: string;
  readonly resources?: readonly {
    readonly resource: string;
    readonly responseKind?: { readonly kind?: string };
    readonly scope?: string;
    readonly singularResource?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly subresources?: readonly { readonly subresource: string }[];
  }[];
}

/** The core group is the item without a name of the first document. */
export async function aggregatedDiscovery(documents: readonly AggregatedDocument[]): Promise<Discovery> {
  const slice = new TimeSlice(); // a server may have ten thousand definitions
  const groups: DiscoveredGroup[] = [];
  const resources: DiscoveredResource[] = [];
  const failed: { groupVersion: string; error: unknown }[] = [];
  for (const { metadata, versions = [] } of documents.flatMap(({ items }) => items)) {
    const name = metadata?.name ?? "";
    groups.push({ name, preferred: versions[0]?.version ?? "", versions: versions.map(({ version }) => version) });
    for (const version of versions) {
      const groupVersion = { group: name, version: version.version };
      if (version.freshness === "Stale")
        failed.push({
          groupVersion: apiVersionOf(groupVersion),
          error: new Error(`the server that has ${apiVersionOf(groupVersion)} cannot be reached`),
        });
      else for (const one of resourcesOf(groupVersion, version)) resources.push(one);
    }
    if (slice.isOver) await slice.next();
  }
  return new Discovery({ groups, resources, failed, isAggregated: true });
}

function resourcesOf(
  groupVersion: { readonly group: string; readonly version: string },
  { resources = [] }: AggregatedVersion,
): DiscoveredResource[] {
  return resources.map((one) => {
    const kind = one.responseKind?.kind ?? "";
    return {
      ...groupVersion,
      resource: one.resource,
      singularName: one.singularResource || kind.toLowerCase(),
      kind,
      namespaced: one.scope === "Namespaced",
      verbs: one.verbs ?? [],
      shortNames: one.shortNames ?? [],
      categories: one.categories ?? [],
      subresources: (one.subresources ?? []).map(({ subresource }) => subresource),
    };
  });
}
