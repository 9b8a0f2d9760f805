/** A StatefulSet runs pods that have stable names and storage. */

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
import { PersistentVolumeClaimObject } from "../../core/v1/persistent-volume-claim.ts";
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const RollingUpdateStatefulSetStrategy = struct("apps.v1.RollingUpdateStatefulSetStrategy", {
  partition: optional(int32()).at(1),
});
export type RollingUpdateStatefulSetStrategy = Static<typeof RollingUpdateStatefulSetStrategy>;

export const StatefulSetCondition = struct("apps.v1.StatefulSetCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type StatefulSetCondition = Static<typeof StatefulSetCondition>;

export const StatefulSetUpdateStrategy = struct("apps.v1.StatefulSetUpdateStrategy", {
  type: elided(string()).at(1),
  rollingUpdate: optional(RollingUpdateStatefulSetStrategy).at(2),
});
export type StatefulSetUpdateStrategy = Static<typeof StatefulSetUpdateStrategy>;

export const StatefulSetSpec = struct("apps.v1.StatefulSetSpec", {
  replicas: optional(int32()).at(1),
  selector: nullable(LabelSelector).at(2),
  template: PodTemplateSpec.at(3),
  volumeClaimTemplates: elided(list(PersistentVolumeClaimObject)).at(4),
  serviceName: string().at(5),
  podManagementPolicy: elided(string()).at(6),
  updateStrategy: elided(StatefulSetUpdateStrategy).at(7),
  revisionHistoryLimit: optional(int32()).at(8),
});
export type StatefulSetSpec = Static<typeof StatefulSetSpec>;

export const StatefulSetStatus = struct("apps.v1.StatefulSetStatus", {
  observedGeneration: elided(int64()).at(1),
  replicas: int32().at(2),
  readyReplicas: elided(int32()).at(3),
  currentReplicas: elided(int32()).at(4),
  updatedReplicas: elided(int32()).at(5),
  currentRevision: elided(string()).at(6),
  updateRevision: elided(string()).at(7),
  collisionCount: optional(int32()).at(9),
  conditions: elided(list(StatefulSetCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(10),
});
export type StatefulSetStatus = Static<typeof StatefulSetStatus>;

export const StatefulSet = kind({
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  resource: "statefulsets",
  scope: "Namespaced",
  shortNames: ["sts"],
  categories: ["all"],
  doc: "A StatefulSet runs pods that have stable names and storage.",
  fields: {
    spec: elided(StatefulSetSpec).at(2),
    status: elided(StatefulSetStatus).at(3),
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
export type StatefulSet = Static<typeof StatefulSet>;
