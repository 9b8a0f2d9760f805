/** A ReplicationController keeps a number of pods of one template running. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, map, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { PodTemplateSpec } from "./pod-spec.ts";

export const ReplicationControllerCondition = struct("core.v1.ReplicationControllerCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type ReplicationControllerCondition = Static<typeof ReplicationControllerCondition>;

export const ReplicationControllerSpec = struct("core.v1.ReplicationControllerSpec", {
  replicas: optional(int32()).at(1),
  selector: elided(map(string())).at(2),
  template: optional(PodTemplateSpec).at(3),
  minReadySeconds: elided(int32()).at(4),
});
export type ReplicationControllerSpec = Static<typeof ReplicationControllerSpec>;

export const ReplicationControllerStatus = struct("core.v1.ReplicationControllerStatus", {
  replicas: int32().at(1),
  fullyLabeledReplicas: elided(int32()).at(2),
  observedGeneration: elided(int64()).at(3),
  readyReplicas: elided(int32()).at(4),
  availableReplicas: elided(int32()).at(5),
  conditions: elided(list(ReplicationControllerCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(6),
});
export type ReplicationControllerStatus = Static<typeof ReplicationControllerStatus>;

export const ReplicationController = kind({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  scope: "Namespaced",
  shortNames: ["rc"],
  categories: ["all"],
  doc: "A ReplicationController keeps a number of pods of one template running.",
  fields: {
    spec: elided(ReplicationControllerSpec).at(2),
    status: elided(ReplicationControllerStatus).at(3),
  },
  subresources: [
    {
      name: "scale",
      verbs: ["get", "patch", "update"],
      accepts: { group: "autoscaling", version: "v1", kind: "Scale" },
    },
    status(),
  ],
});
export type ReplicationController = Static<typeof ReplicationController>;
