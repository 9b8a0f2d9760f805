/** A Scale is the number of replicas of whatever can be scaled. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const ScaleSpec = struct("autoscaling.v1.ScaleSpec", {
  replicas: elided(int32()).at(1),
});
export type ScaleSpec = Static<typeof ScaleSpec>;

export const ScaleStatus = struct("autoscaling.v1.ScaleStatus", {
  replicas: int32().at(1),
  selector: elided(string()).at(2),
});
export type ScaleStatus = Static<typeof ScaleStatus>;

export const Scale = kind({
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  resource: "scales",
  scope: "Namespaced",
  verbs: [],
  doc: "A Scale is the number of replicas of whatever can be scaled.",
  fields: {
    spec: elided(ScaleSpec).at(2),
    status: elided(ScaleStatus).at(3),
  },
});
export type Scale = Static<typeof Scale>;
