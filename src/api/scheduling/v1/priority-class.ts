/** A PriorityClass gives a name to a pod priority. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, optional, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const PriorityClass = kind({
  group: "scheduling.orch.io",
  version: "v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  scope: "Cluster",
  shortNames: ["pc"],
  doc: "A PriorityClass gives a name to a pod priority.",
  fields: {
    value: int32().at(2),
    globalDefault: elided(bool()).at(3),
    description: elided(string()).at(4),
    preemptionPolicy: optional(string()).at(5),
  },
});
export type PriorityClass = Static<typeof PriorityClass>;
