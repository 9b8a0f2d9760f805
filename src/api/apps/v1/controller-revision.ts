/** A ControllerRevision is an unchangeable snapshot of a controller's state. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int64, json } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const ControllerRevision = kind({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  resource: "controllerrevisions",
  scope: "Namespaced",
  doc: "A ControllerRevision is an unchangeable snapshot of a controller's state.",
  fields: {
    data: elided(json()).at(2),
    revision: int64().at(3),
  },
});
export type ControllerRevision = Static<typeof ControllerRevision>;
