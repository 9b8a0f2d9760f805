/** A ReplicationController keeps a number of pods of one template running. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, map, optional, string, struct } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { ageColumn, labelsText, nameColumn } from "../../columns.ts";
import { conditionFields } from "../../common-fields.ts";
import { scale } from "../../scale.ts";
import { validateBounds } from "../../validation.ts";
import { containerImages, containerNames } from "./pod/columns.ts";
import { keepingPages } from "./pod/kept-huge-pages.ts";
import { PodTemplateSpec } from "./pod/spec.ts";
import { validateSelectedTemplate } from "./pod/validate-template.ts";
import { workloadWarnings } from "./pod/warnings.ts";

const ReplicationControllerCondition = struct("core.v1.ReplicationControllerCondition", {
  ...conditionFields("ReplicaFailure: a pod could not be created or deleted."),
});

const ReplicationControllerSpec = struct("core.v1.ReplicationControllerSpec", {
  replicas: optional(int32())
    .at(1)
    .required()
    .atLeast(0)
    .openApiDefault(1, "1.33")
    .doc("The desired number of pods. Default: 1."),
  selector: elided(map(string(), { from: { "1.22": { topology: "atomic" } } }))
    .at(2)
    .required()
    .doc("Labels of the pods that belong to it. Absent: the labels of the template."),
  template: optional(PodTemplateSpec)
    .at(3)
    .doc("The template from which missing pods are created. Changes apply to new pods only."),
  minReadySeconds: elided(int32())
    .at(4)
    .atLeast(0)
    .doc("Seconds that a pod must be ready to count as available. Default: 0."),
});
type ReplicationControllerSpec = Static<typeof ReplicationControllerSpec>;

const ReplicationControllerStatus = struct("core.v1.ReplicationControllerStatus", {
  replicas: int32().at(1).atLeast(0).doc("How many pods of the controller exist, ready or not."),
  fullyLabeledReplicas: elided(int32()).at(2).atLeast(0).doc("Pods that have all labels of the template."),
  observedGeneration: elided(int64())
    .at(3)
    .atLeast(0)
    .doc("The metadata.generation that the controller last acted on."),
  readyReplicas: elided(int32()).at(4).atLeast(0).doc("Pods whose Ready condition is True."),
  availableReplicas: elided(int32()).at(5).atLeast(0).doc("Pods that have been ready for at least minReadySeconds."),
  conditions: elided(list(ReplicationControllerCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
    .at(6)
    .doc("The current state of the object, one entry for each condition type."),
});
type ReplicationControllerStatus = Static<typeof ReplicationControllerStatus>;

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
    spec: elided(ReplicationControllerSpec)
      .at(2)
      .doc("The desired state of the replication controller, set by its users."),
    status: elided(ReplicationControllerStatus)
      .at(3)
      .doc("The most recently observed state of the replication controller, written by the system."),
  },
  generation: true,
  warnings: workloadWarnings,
  compat: { orphansByDefault: true },
  defaults(controller) {
    const labels = controller.spec?.template?.metadata?.labels;
    if (!controller.spec || !labels) return;
    // An absent selector, and absent labels, default to the labels of the pods.
    if (Object.keys(controller.spec.selector ?? {}).length === 0) controller.spec.selector = { ...labels };
    if (Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels };
  },
  validate: validateController,
  validateUpdate: keepingPages(validateController, ({ spec }) => spec?.template?.spec),
  selectableFields: { "status.replicas": (controller) => String(controller.status?.replicas ?? 0) },
  columns: (column) => [
    nameColumn,
    column("Desired", (controller) => controller.spec?.replicas ?? 0, { type: "integer" }),
    column("Current", (controller) => controller.status?.replicas ?? 0, { type: "integer" }),
    column("Ready", (controller) => controller.status?.readyReplicas ?? 0, { type: "integer" }),
    ageColumn,
    column("Containers", (controller) => containerNames(controller.spec?.template?.spec), { priority: 1 }),
    column("Images", (controller) => containerImages(controller.spec?.template?.spec), { priority: 1 }),
    column("Selector", (controller) => labelsText(controller.spec?.selector), { priority: 1 }),
  ],
  subresources: [
    scale((controller: { metadata: ObjectMeta; spec?: ReplicationControllerSpec }) =>
      controller.spec?.selector ? labelsText(controller.spec.selector) : "",
    ),
    status({ validate: validateStatus }),
  ],
});
export type ReplicationController = Static<typeof ReplicationController>;

function validateController(
  { spec = {} }: { spec?: ReplicationControllerSpec },
  environment: Environment,
): FieldError[] {
  const selector = Object.entries(spec.selector ?? {});
  const selects = (labels: ReadonlyMap<string, string>) => selector.every(([key, value]) => labels.get(key) === value);
  return [
    ...validateSelectedTemplate(
      spec.template,
      selector.length === 0 ? undefined : selects,
      spec.replicas ?? 0,
      "spec.template",
      environment,
    ),
  ];
}

const checkStatus = checker(ReplicationControllerStatus);

function validateStatus({ status }: { status?: ReplicationControllerStatus }, _old: object, environment: Environment) {
  return [
    ...checkStatus(status, "status", environment),
    ...validateBounds(status, [
      ["fullyLabeledReplicas", "replicas"],
      ["readyReplicas", "replicas"],
      ["availableReplicas", "replicas"],
      ["availableReplicas", "readyReplicas", "readyReplicas"],
    ]),
  ];
}
