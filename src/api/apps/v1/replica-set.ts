/** A ReplicaSet keeps a number of pods of one template running. */

import {
  elided,
  int32,
  int64,
  list,
  nullable,
  optional,
  type Static,
  struct,
} from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { conditionList } from "../../common-fields.ts";
import { containerImages, containerNames } from "../../core/v1/pod/columns.ts";
import { keepingPages } from "../../core/v1/pod/kept-huge-pages.ts";
import { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import { workloadWarnings } from "../../core/v1/pod/warnings.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { selectorQuery, selectorText } from "../../meta/selector-text.ts";
import { scale } from "../../scale.ts";
import { validateBounds } from "../../validation.ts";
import { validateTemplate } from "./validate-workload.ts";
import { workloadConditionFields } from "./workload-condition.ts";
import { narrower, validateSound } from "./workload-selector.ts";

export const ReplicaSetCondition = struct("apps.v1.ReplicaSetCondition", {
  ...workloadConditionFields("ReplicaFailure: a pod could not be created or deleted."),
});
export type ReplicaSetCondition = Static<typeof ReplicaSetCondition>;

const ReplicaSetSpec = struct("apps.v1.ReplicaSetSpec", {
  replicas: optional(int32()).at(1).atLeast(0).default(1).doc("The desired number of pods. Default: 1."),
  selector: nullable(LabelSelector)
    .listed(true)
    .at(2)
    .required()
    .checked(validateSound)
    .checked(narrower("a replica set"))
    .immutable()
    .doc("Labels of the pods that belong to it; must match the labels of the template and cannot be changed."),
  template: elided(PodTemplateSpec).at(3).doc("The pods to create; a change affects new pods only."),
  minReadySeconds: elided(int32())
    .at(4)
    .atLeast(0)
    .doc("Seconds that a new pod must be ready to count as available. Default: 0."),
});
type ReplicaSetSpec = Static<typeof ReplicaSetSpec>;

export const ReplicaSetStatus = struct("apps.v1.ReplicaSetStatus", {
  replicas: int32().at(1).atLeast(0).doc("How many pods of the set exist, ready or not."),
  fullyLabeledReplicas: elided(int32()).at(2).atLeast(0).doc("Pods that have all labels of the template."),
  observedGeneration: elided(int64())
    .at(3)
    .atLeast(0)
    .doc("The metadata.generation that the controller last acted on."),
  readyReplicas: elided(int32()).at(4).atLeast(0).doc("Pods whose Ready condition is True."),
  availableReplicas: elided(int32()).at(5).atLeast(0).doc("Pods that have been ready for at least minReadySeconds."),
  conditions: elided(list(ReplicaSetCondition, conditionList))
    .at(6)
    .doc("The current state of the object, one entry for each condition type."),
  terminatingReplicas: optional(int32())
    .at(7)
    .since("1.33")
    .atLeast(0)
    .doc("Pods that are being deleted and have not ended."),
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
    spec: elided(ReplicaSetSpec)
      .listed(true, "1.37")
      .at(2)
      .doc("The desired state of the replica set, set by its users."),
    status: elided(ReplicaSetStatus)
      .at(3)
      .doc("The most recently observed state of the replica set, written by the system."),
  },
  generation: true,
  validate: validateSet,
  validateUpdate: keepingPages(validateSet, ({ spec }) => spec?.template?.spec),
  warnings: workloadWarnings,
  columns: (column) => [
    nameColumn,
    column("Desired", (set) => set.spec?.replicas ?? 0, { type: "integer" }),
    column("Current", (set) => set.status?.replicas ?? 0, { type: "integer" }),
    column("Ready", (set) => set.status?.readyReplicas ?? 0, { type: "integer" }),
    ageColumn,
    column("Containers", (object) => containerNames(object.spec?.template?.spec), { priority: 1 }),
    column("Images", (object) => containerImages(object.spec?.template?.spec), { priority: 1 }),
    column("Selector", (object) => selectorText(object.spec?.selector), { priority: 1 }),
  ],
  subresources: [
    scale((set: { metadata: ObjectMeta; spec?: ReplicaSetSpec }) => selectorQuery(set.spec?.selector)),
    status({ validate: validateStatus }),
  ],
});
export type ReplicaSet = Static<typeof ReplicaSet>;

const noSpec: ReplicaSetSpec = {};

function validateSet({ spec = noSpec }: { spec?: ReplicaSetSpec }, environment: Environment): FieldError[] {
  return validateTemplate(spec.template, spec.selector, spec.replicas ?? 0, environment);
}

const checkStatus = checker(ReplicaSetStatus);

function validateStatus({ status }: { status?: ReplicaSetStatus }, _old: object, environment: Environment) {
  return [
    ...checkStatus(status, "status", environment),
    ...validateBounds(status, [
      ["fullyLabeledReplicas", "replicas"],
      ["readyReplicas", "replicas"],
      ["availableReplicas", "replicas"],
      ["availableReplicas", "readyReplicas"],
    ]),
  ];
}
