/** Discovery for the controllers of a server's own process: which resources a version has, without a request for each version. */

import type { DiscoveredResource } from "../client/contract.ts";
import { type GroupVersion, resourcesOf } from "../client/discovery/discover.ts";
import { resourceList } from "../http/discovery/documents.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";

type SharedVersion = (version: GroupVersion) => readonly DiscoveredResource[] | undefined;

/** Undefined: another server has the version, so it has to be asked for. */
export function shareDiscovery(catalog: Catalog): SharedVersion {
  let kept = new Map<string, readonly DiscoveredResource[]>();
  let generation = catalog.generation;
  return (groupVersion) => {
    if (generation !== catalog.generation) {
      kept = new Map();
      generation = catalog.generation;
    }
    const { group, version } = groupVersion;
    if (catalog.ofGroupVersion(group, version).length === 0) return undefined;
    const key = `${group}/${version}`;
    let found = kept.get(key);
    if (found === undefined) {
      found = resourcesOf(groupVersion, resourceList(catalog, group, version));
      kept.set(key, found);
    }
    return found;
  };
}
