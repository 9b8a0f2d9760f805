/** Whom refusals are about: resources by their plural, validation by the kind. Both are named as the hub version is. */

import type { Family } from "../machinery/schema/catalog.ts";
import type { Subject } from "../machinery/status/status.ts";

export const resourceOf = ({ hub }: Family): Subject => ({ group: hub.group, kind: hub.resource });

export const kindOf = ({ hub }: Family): Subject => ({ group: hub.group, kind: hub.kind });

/** The options of a request, which have a group of their own. */
export const optionsOf = ({ environment }: Family, kind: string): Subject => ({
  group: environment.vocabulary.group("meta.orch.io"),
  kind,
});
