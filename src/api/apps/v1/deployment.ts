/** A Deployment rolls pods from one template to the next. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  bool,
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

export const DeploymentCondition = struct("apps.v1.DeploymentCondition", {
  type: string().at(1),
  status: string().at(2),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
  lastUpdateTime: elided(time()).at(6),
  lastTransitionTime: elided(time()).at(7),
});
export type DeploymentCondition = Static<typeof DeploymentCondition>;

export const RollingUpdateDeployment = struct("apps.v1.RollingUpdateDeployment", {
  maxUnavailable: optional(intOrString()).at(1),
  maxSurge: optional(intOrString()).at(2),
});
export type RollingUpdateDeployment = Static<typeof RollingUpdateDeployment>;

export const DeploymentStrategy = struct("apps.v1.DeploymentStrategy", {
  type: elided(string()).at(1),
  rollingUpdate: optional(RollingUpdateDeployment).at(2),
});
export type DeploymentStrategy = Static<typeof DeploymentStrategy>;

export const DeploymentSpec = struct("apps.v1.DeploymentSpec", {
  replicas: optional(int32()).at(1),
  selector: nullable(LabelSelector).at(2),
  template: PodTemplateSpec.at(3),
  strategy: elided(DeploymentStrategy).at(4),
  minReadySeconds: elided(int32()).at(5),
  revisionHistoryLimit: optional(int32()).at(6),
  paused: elided(bool()).at(7),
  progressDeadlineSeconds: optional(int32()).at(9),
});
export type DeploymentSpec = Static<typeof DeploymentSpec>;

export const DeploymentStatus = struct("apps.v1.DeploymentStatus", {
  observedGeneration: elided(int64()).at(1),
  replicas: elided(int32()).at(2),
  updatedReplicas: elided(int32()).at(3),
  availableReplicas: elided(int32()).at(4),
  unavailableReplicas: elided(int32()).at(5),
  conditions: elided(list(DeploymentCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(6),
  readyReplicas: elided(int32()).at(7),
  collisionCount: optional(int32()).at(8),
});
export type DeploymentStatus = Static<typeof DeploymentStatus>;

export const Deployment = kind({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  resource: "deployments",
  scope: "Namespaced",
  shortNames: ["deploy"],
  categories: ["all"],
  doc: "A Deployment rolls pods from one template to the next.",
  fields: {
    spec: elided(DeploymentSpec).at(2),
    status: elided(DeploymentStatus).at(3),
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
export type Deployment = Static<typeof Deployment>;
