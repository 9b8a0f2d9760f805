/** A DaemonSet runs one pod on every node that fits. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  elided,
  int32,
  int64,
  intOrString,
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

export const DaemonSetCondition = struct("apps.v1.DaemonSetCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type DaemonSetCondition = Static<typeof DaemonSetCondition>;

export const RollingUpdateDaemonSet = struct("apps.v1.RollingUpdateDaemonSet", {
  maxUnavailable: optional(intOrString()).at(1),
  maxSurge: optional(intOrString()).at(2),
});
export type RollingUpdateDaemonSet = Static<typeof RollingUpdateDaemonSet>;

export const DaemonSetUpdateStrategy = struct("apps.v1.DaemonSetUpdateStrategy", {
  type: elided(string()).at(1),
  rollingUpdate: optional(RollingUpdateDaemonSet).at(2),
});
export type DaemonSetUpdateStrategy = Static<typeof DaemonSetUpdateStrategy>;

export const DaemonSetSpec = struct("apps.v1.DaemonSetSpec", {
  selector: nullable(LabelSelector).at(1),
  template: PodTemplateSpec.at(2),
  updateStrategy: elided(DaemonSetUpdateStrategy).at(3),
  minReadySeconds: elided(int32()).at(4),
  revisionHistoryLimit: optional(int32()).at(6),
});
export type DaemonSetSpec = Static<typeof DaemonSetSpec>;

export const DaemonSetStatus = struct("apps.v1.DaemonSetStatus", {
  currentNumberScheduled: int32().at(1),
  numberMisscheduled: int32().at(2),
  desiredNumberScheduled: int32().at(3),
  numberReady: int32().at(4),
  observedGeneration: elided(int64()).at(5),
  updatedNumberScheduled: elided(int32()).at(6),
  numberAvailable: elided(int32()).at(7),
  numberUnavailable: elided(int32()).at(8),
  collisionCount: optional(int32()).at(9),
  conditions: elided(list(DaemonSetCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(10),
});
export type DaemonSetStatus = Static<typeof DaemonSetStatus>;

export const DaemonSet = kind({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  resource: "daemonsets",
  scope: "Namespaced",
  shortNames: ["ds"],
  categories: ["all"],
  doc: "A DaemonSet runs one pod on every node that fits.",
  fields: {
    spec: elided(DaemonSetSpec).at(2),
    status: elided(DaemonSetStatus).at(3),
  },
  subresources: [status()],
});
export type DaemonSet = Static<typeof DaemonSet>;
