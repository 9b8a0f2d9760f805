/** A ReplicaSet keeps a number of pods of one template running. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  elided,
  int32,
  int64,
  list,
  nullable,
  optional,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const ReplicaSetCondition = struct("apps.v1.ReplicaSetCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type ReplicaSetCondition = Static<typeof ReplicaSetCondition>;

export const ReplicaSetSpec = struct("apps.v1.ReplicaSetSpec", {
  replicas: optional(int32()).at(1),
  selector: nullable(LabelSelector).at(2),
  template: elided(PodTemplateSpec).at(3),
  minReadySeconds: elided(int32()).at(4),
});
export type ReplicaSetSpec = Static<typeof ReplicaSetSpec>;

export const ReplicaSetStatus = struct("apps.v1.ReplicaSetStatus", {
  replicas: int32().at(1),
  fullyLabeledReplicas: elided(int32()).at(2),
  observedGeneration: elided(int64()).at(3),
  readyReplicas: elided(int32()).at(4),
  availableReplicas: elided(int32()).at(5),
  conditions: elided(list(ReplicaSetCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(6),
});
export type ReplicaSetStatus = Static<typeof ReplicaSetStatus>;

export const ReplicaSet = kind({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  resource: "replicasets",
  scope: "Namespaced",
  shortNames: ["rs"],
  categories: ["all"],
  doc: "A ReplicaSet keeps a number of pods of one template running.",
  fields: {
    spec: elided(ReplicaSetSpec).at(2),
    status: elided(ReplicaSetStatus).at(3),
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
export type ReplicaSet = Static<typeof ReplicaSet>;
