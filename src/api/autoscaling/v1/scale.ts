/** A Scale is the number of replicas of whatever can be scaled. */

import { elided, int32, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

export const ScaleSpec = struct("autoscaling.v1.ScaleSpec", {
  replicas: elided(int32()).at(1).atLeast(0).doc("The desired number of replicas. Default: 0."),
});
export type ScaleSpec = Static<typeof ScaleSpec>;

const ScaleStatus = struct("autoscaling.v1.ScaleStatus", {
  replicas: int32().at(1).doc("The observed number of replicas."),
  selector: elided(string()).at(2).doc("A label selector, in text form, of the pods that are counted."),
});

export const Scale = kind({
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  resource: "scales",
  scope: "Namespaced",
  verbs: [],
  doc: "A Scale is the number of replicas of whatever can be scaled.",
  fields: {
    spec: elided(ScaleSpec).at(2).doc("The desired state of the scale, set by its users."),
    status: elided(ScaleStatus).at(3).doc("The most recently observed state of the scale, written by the system."),
  },
  columns: (column) => [
    { ...nameColumn, format: "" },
    column("Desired", ({ spec }) => spec?.replicas ?? 0, { type: "integer" }),
    column("Available", ({ status }) => status?.replicas ?? 0, { type: "integer" }),
    ageColumn,
  ],
});
export type Scale = Static<typeof Scale>;
