/** Discovery for the controllers of a server's own process: which resources a version has, without a request for each version. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import type { DiscoveredResource } from "../client/contract.ts";
import { type GroupVersion, resourcesOf } from "../client/discovery/discover.ts";
import { resourceList } from "../http/discovery/documents.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";

type SharedVersion = (version: GroupVersion) => readonly DiscoveredResource[] | undefined;

/** By the kinds of a version: a changed catalog lists them again, and forks of a server share the list. */
const known = new WeakMap<readonly BoundKind[], readonly DiscoveredResource[]>();

/** Undefined: another server has the version, so it has to be asked for. */
export function shareDiscovery(catalog: Catalog): SharedVersion {
  return (groupVersion) => {
    const { group, version } = groupVersion;
    const kinds = catalog.ofGroupVersion(group, version);
    if (kinds.length === 0) return undefined;
    let found = known.get(kinds);
    if (found === undefined) {
      found = resourcesOf(groupVersion, resourceList(catalog, group, version));
      known.set(kinds, found);
    } else if (checksCaches)
      checkAnswer("shared discovery", found, resourcesOf(groupVersion, resourceList(catalog, group, version)));
    return found;
  };
}
