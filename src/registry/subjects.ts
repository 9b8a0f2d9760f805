/** The subjects of error messages: resources by their plural in the group of the request, validation by the kind. */

import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import type { Subject } from "../machinery/status/status.ts";

export const resourceOf = ({ group, resource }: BoundKind): Subject => ({ group, kind: resource });

/** Named by the hub version, whatever the version of the request. */
export const kindOf = ({ hub, environment }: Family): Subject => {
  const { reportedGroup } = hub.compat;
  const group = reportedGroup === undefined ? hub.group : environment.vocabulary.group(reportedGroup);
  return { group, kind: hub.kind };
};

/** The options of a request, which have their own group. */
export const optionsOf = ({ environment }: Family, kind: string): Subject => ({
  group: environment.vocabulary.group("meta.orch.io"),
  kind,
});
