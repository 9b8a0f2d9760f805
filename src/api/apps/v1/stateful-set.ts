/** A StatefulSet runs pods that have stable names and storage. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  elided,
  int32,
  int64,
  list,
  nullable,
  optional,
  renamed,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError, FieldErrors } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid, required } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { PersistentVolumeClaimObject } from "../../core/v1/persistent-volume-claim.ts";
import { containerImages, containerNames } from "../../core/v1/pod/columns.ts";
import { dropFieldsBehindGates } from "../../core/v1/pod/fields-behind-gates.ts";
import { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import {
  validateRunsForever,
  validateSelected,
  validateTemplateMetadata,
} from "../../core/v1/pod/validate-template.ts";
import { isSoundSelector, LabelSelector } from "../../meta/label-selector.ts";
import { selectorQuery } from "../../meta/selector-text.ts";
import { scale } from "../../scale.ts";
import { DaemonSetCondition } from "./daemon-set.ts";
import { selecting, validateBounds, validateCollisions, validateSelector } from "./validate-workload.ts";

export const RollingUpdateStatefulSetStrategy = struct("apps.v1.RollingUpdateStatefulSetStrategy", {
  partition: optional(int32())
    .at(1)
    .atLeast(0)
    .default(0)
    .doc("Only pods with this ordinal or a higher one are updated. Default: 0."),
});
export type RollingUpdateStatefulSetStrategy = Static<typeof RollingUpdateStatefulSetStrategy>;

export const StatefulSetCondition = renamed("apps.v1.StatefulSetCondition", DaemonSetCondition);
export type StatefulSetCondition = Static<typeof StatefulSetCondition>;

export const StatefulSetUpdateStrategy = struct(
  "apps.v1.StatefulSetUpdateStrategy",
  {
    type: elided(string())
      .at(1)
      .doc("RollingUpdate replaces pods by itself, OnDelete waits until pods are deleted. Default: RollingUpdate."),
    rollingUpdate: optional(RollingUpdateStatefulSetStrategy)
      .at(2)
      .unchecked()
      .doc("How pods are replaced; only with type RollingUpdate."),
  },
  {
    defaults(strategy) {
      // A named strategy may omit its details; a missing one gets the default with details.
      if (strategy.type) return;
      strategy.type = "RollingUpdate";
      strategy.rollingUpdate ??= {};
    },
  },
);
export type StatefulSetUpdateStrategy = Static<typeof StatefulSetUpdateStrategy>;

const managementPolicies = ["OrderedReady", "Parallel"];

export const StatefulSetSpec = struct("apps.v1.StatefulSetSpec", {
  replicas: optional(int32()).at(1).atLeast(0).default(1).doc("The desired number of pods. Default: 1."),
  selector: nullable(LabelSelector)
    .listed(true)
    .at(2)
    .doc("Labels of the pods that belong to it; must match the labels of the template and cannot be changed."),
  template: PodTemplateSpec.at(3).doc("The pods to create; each is named after the set and an ordinal, as web-0."),
  volumeClaimTemplates: elided(list(PersistentVolumeClaimObject))
    .at(4)
    .unchecked()
    .doc("Claims that are created for each pod and kept when the pod is replaced."),
  serviceName: string().at(5).doc("The headless service that gives the pods their DNS names."),
  podManagementPolicy: elided(string())
    .at(6)
    .required()
    .oneOf(managementPolicies, `must be one of ${managementPolicies.join(", ")}`)
    .default("OrderedReady")
    .doc("OrderedReady creates and deletes pods one after another, Parallel all at once. Default: OrderedReady."),
  updateStrategy: elided(StatefulSetUpdateStrategy).at(7).doc("How pods are replaced when the template changes."),
  revisionHistoryLimit: optional(int32())
    .at(8)
    .default(10)
    .doc("How many old revisions are kept for a rollback. Default: 10."),
});
export type StatefulSetSpec = Static<typeof StatefulSetSpec>;

export const StatefulSetStatus = struct("apps.v1.StatefulSetStatus", {
  observedGeneration: elided(int64())
    .at(1)
    .atLeast(0)
    .doc("The metadata.generation that the controller last acted on."),
  replicas: int32().at(2).atLeast(0).doc("How many pods of the set exist, ready or not."),
  readyReplicas: elided(int32()).at(3).atLeast(0).doc("Pods whose Ready condition is True."),
  currentReplicas: elided(int32()).at(4).atLeast(0).doc("How many pods are of the revision currentRevision."),
  updatedReplicas: elided(int32()).at(5).atLeast(0).doc("How many pods are of the revision updateRevision."),
  currentRevision: elided(string()).at(6).doc("The revision of pods that are not updated yet."),
  updateRevision: elided(string()).at(7).doc("The revision of the newest template."),
  collisionCount: optional(int32())
    .at(9)
    .doc("How often a generated name was already taken; the controller uses it to choose the next name."),
  conditions: elided(list(StatefulSetCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
    .at(10)
    .doc("The current state of the object, one entry for each condition type."),
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
    spec: elided(StatefulSetSpec).at(2).doc("The desired state of the stateful set, set by its users."),
    status: elided(StatefulSetStatus)
      .at(3)
      .doc("The most recently observed state of the stateful set, written by the system."),
  },
  generation: true,
  prepareForCreate: (object, environment) => dropFieldsBehindGates(object.spec?.template.spec, undefined, environment),
  prepareForUpdate: (object, old, environment) =>
    dropFieldsBehindGates(object.spec?.template.spec, old.spec?.template.spec, environment),
  validate: (set, environment) => validateSpec(set.spec ?? noSpec, environment),
  validateUpdate: (set, old, environment) => validateUpdate(set.spec ?? noSpec, old.spec ?? noSpec, environment),
  columns: (column) => [
    nameColumn,
    column("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
    ageColumn,
    column("Containers", (set) => containerNames(set.spec?.template.spec), { priority: 1 }),
    column("Images", (set) => containerImages(set.spec?.template.spec), { priority: 1 }),
  ],
  subresources: [
    scale((set: { metadata: ObjectMeta; spec?: StatefulSetSpec }) => selectorQuery(set.spec?.selector)),
    status({ validate: validateStatus }),
  ],
});
export type StatefulSet = Static<typeof StatefulSet>;

const noSpec: StatefulSetSpec = { template: {}, serviceName: "" };
const strategies = ["RollingUpdate", "OnDelete"];

const validateSpec = (spec: StatefulSetSpec, environment: Environment): FieldError[] => [
  ...validateStrategy(spec.updateStrategy ?? {}, environment),
  ...validateSelector(spec.selector, "statefulset"),
  ...validateSetTemplate(spec, environment),
];

/** v1.21 does not validate the pods of a set: their claims are volumes that the template does not name. */
function validateSetTemplate({ selector, template }: StatefulSetSpec, environment: Environment): FieldError[] {
  const path = "spec.template";
  const errors = isSoundSelector(selector)
    ? [
        ...validateSelected(template, selecting(selector), path),
        ...validateTemplateMetadata(template, path, environment),
      ]
    : [];
  return [...errors, ...validateRunsForever(template, `${path}.spec`)];
}

const checkRolling = checker(RollingUpdateStatefulSetStrategy);

function validateStrategy(strategy: StatefulSetUpdateStrategy, environment: Environment): FieldErrors {
  const path = "spec.updateStrategy";
  switch (strategy.type ?? "") {
    case "":
      return [required(path)];
    case "OnDelete":
      return strategy.rollingUpdate
        ? [invalid(`${path}.rollingUpdate`, strategy.rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")]
        : [];
    case "RollingUpdate":
      return checkRolling(strategy.rollingUpdate, `${path}.rollingUpdate`, environment);
    default:
      return [invalid(path, strategy, `must be ${strategies.join(" or ")}`)];
  }
}

/** Pods keep their names and claims, so only fields that do not affect these may change. */
function validateUpdate(spec: StatefulSetSpec, old: StatefulSetSpec, environment: Environment): FieldError[] {
  const { replicas: _r, template: _t, updateStrategy: _u, ...rest } = spec;
  const { replicas: _or, template: _ot, updateStrategy: _ou, ...oldRest } = old;
  const errors = validateSpec(spec, environment);
  if (sameValue(rest, oldRest, StatefulSetSpec)) return errors;
  const allowed =
    "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are forbidden";
  return [...errors, forbidden("spec", allowed)];
}

const checkStatus = checker(StatefulSetStatus);

interface WithStatus {
  readonly status?: StatefulSetStatus;
}

function validateStatus({ status }: WithStatus, old: WithStatus, environment: Environment): FieldErrors {
  return [
    ...checkStatus(status, "status", environment),
    ...validateBounds(status, [
      ["readyReplicas", "replicas"],
      ["currentReplicas", "replicas"],
      ["updatedReplicas", "replicas"],
    ]),
    ...validateCollisions(status?.collisionCount, old.status?.collisionCount),
  ];
}
