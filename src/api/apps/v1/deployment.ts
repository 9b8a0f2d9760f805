/** A Deployment runs pods of one template, and rolls out changes of it. */

import { nextGeneration } from "../../../machinery/meta/metadata.ts";
import {
  bool,
  elided,
  int32,
  int64,
  intOrString,
  list,
  nullable,
  optional,
  type Static,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { checkedWhen, checker, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { forbid, need, refuse } from "../../../machinery/schema/relations.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type FieldError, type FieldErrors, invalid } from "../../../machinery/status/field-error.ts";
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
import { numberAnnotation } from "./number-annotation.ts";
import { isNothing, validateAtMostAll, validatePart } from "./part-rules.ts";
import { validateCollisions, validateTemplate } from "./validate-workload.ts";
import { narrower, validateSound } from "./workload-selector.ts";

export const DeploymentCondition = struct("apps.v1.DeploymentCondition", {
  type: string().listed(false, "1.37").at(1).doc("Available, Progressing or ReplicaFailure."),
  status: string().listed(false, "1.37").at(2).doc("Whether the condition holds: True, False or Unknown."),
  reason: elided(string()).at(4).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(5).doc("A sentence for people about the last change; may be empty."),
  lastUpdateTime: elided(time()).at(6).doc("When the condition was last written, even if status stayed the same."),
  lastTransitionTime: elided(time()).at(7).doc("When status last changed from one value to another."),
});
export type DeploymentCondition = Static<typeof DeploymentCondition>;

const RollingUpdateDeployment = struct("apps.v1.RollingUpdateDeployment", {
  maxUnavailable: optional(intOrString())
    .at(1)
    .default("25%")
    .checked(validatePart)
    .checked(validateAtMostAll)
    .doc("How many pods, as a number or a percentage rounded down, may be unavailable during an update. Default: 25%."),
  maxSurge: optional(intOrString())
    .at(2)
    .default("25%")
    .checked(validatePart)
    .doc(
      "How many pods, as a number or a percentage rounded up, may exist beyond replicas during an update. Default: 25%.",
    ),
});

const DeploymentStrategy = struct(
  "apps.v1.DeploymentStrategy",
  {
    type: elided(string())
      .at(1)
      .oneOf(["Recreate", "RollingUpdate"])
      .reported("")
      .default("RollingUpdate")
      .doc("Recreate deletes all old pods first, RollingUpdate replaces them step by step. Default: RollingUpdate."),
    rollingUpdate: optional(RollingUpdateDeployment)
      .at(2)
      .doc("Limits of a rolling update; only with type RollingUpdate."),
  },
  {
    // OpenAPI shows clients that a change of type must clear the fields of the old type.
    patchStrategy: "retainKeys",
    defaults(strategy) {
      if ((strategy.type || "RollingUpdate") === "RollingUpdate") strategy.rollingUpdate ??= {};
    },
  },
);

const isRolling = ({ type }: { readonly type?: string }): boolean => type === "RollingUpdate";

export const DeploymentSpec = struct("apps.v1.DeploymentSpec", {
  replicas: optional(int32()).at(1).atLeast(0).default(1).doc("The desired number of pods. Default: 1."),
  selector: nullable(LabelSelector)
    .listed(true)
    .at(2)
    .required()
    .checked(validateSound)
    .checked(narrower("deployment"))
    .immutable()
    .doc("Labels of the pods that belong to it; must match the labels of the template and cannot be changed."),
  template: PodTemplateSpec.at(3).doc("The pods to create; a change starts a rollout."),
  strategy: elided(DeploymentStrategy).at(4).doc("How old pods are replaced by new ones."),
  minReadySeconds: elided(int32())
    .at(5)
    .atLeast(0)
    .doc("Seconds that a new pod must be ready to count as available. Default: 0."),
  revisionHistoryLimit: optional(int32())
    .at(6)
    .atLeast(0)
    .default(10)
    .doc("How many old revisions are kept for a rollback. Default: 10."),
  paused: elided(bool())
    .at(7)
    .doc("Whether changes of the template wait until the deployment is resumed. Default: false."),
  progressDeadlineSeconds: optional(int32())
    .at(9)
    .atLeast(0)
    .default(600)
    .doc(
      "Seconds without progress after which a rollout counts as failed; it is reported in the condition Progressing. Default: 600.",
    ),
});
export type DeploymentSpec = Static<typeof DeploymentSpec>;

export const DeploymentStatus = struct("apps.v1.DeploymentStatus", {
  observedGeneration: elided(int64())
    .at(1)
    .atLeast(0)
    .doc("The metadata.generation that the controller last acted on."),
  replicas: elided(int32()).at(2).atLeast(0).doc("Pods of the deployment that exist and are not terminating."),
  updatedReplicas: elided(int32()).at(3).atLeast(0).doc("How many pods are of the newest template."),
  availableReplicas: elided(int32()).at(4).atLeast(0).doc("Pods that have been ready for at least minReadySeconds."),
  unavailableReplicas: elided(int32()).at(5).atLeast(0).doc("Pods that are still missing or not available."),
  conditions: elided(list(DeploymentCondition, conditionList))
    .at(6)
    .doc("The current state of the object, one entry for each condition type."),
  readyReplicas: elided(int32()).at(7).atLeast(0).doc("Pods whose Ready condition is True."),
  collisionCount: optional(int32())
    .at(8)
    .atLeast(0)
    .doc("How often a generated name was already taken; the controller uses it to choose the next name."),
  terminatingReplicas: optional(int32())
    .at(9)
    .since("1.33")
    .atLeast(0)
    .doc("Pods that are being deleted and have not ended."),
});
export type DeploymentStatus = Static<typeof DeploymentStatus>;

const relations: readonly Relation[] = [
  checkedWhen(DeploymentStrategy, ["rollingUpdate"], isRolling),
  need(DeploymentStrategy, "rollingUpdate", "this should be defaulted and never be nil", isRolling),
  forbid(
    DeploymentStrategy,
    "rollingUpdate",
    "may not be specified when strategy `type` is 'Recreate'",
    ({ type }) => type === "Recreate",
  ),
  refuse(
    RollingUpdateDeployment,
    "maxUnavailable",
    "may not be 0 when `maxSurge` is 0",
    ({ maxUnavailable, maxSurge }) => isNothing(maxUnavailable) && isNothing(maxSurge),
  ),
  refuse(
    DeploymentSpec,
    "progressDeadlineSeconds",
    "must be greater than minReadySeconds",
    ({ progressDeadlineSeconds: deadline, minReadySeconds = 0 }) =>
      deadline !== undefined && deadline <= minReadySeconds,
  ),
];

/** The revision to go back to, which older versions had a field for. */
const rollbackTo = "deprecated.deployment.rollback.to";

export const Deployment = kind({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  resource: "deployments",
  scope: "Namespaced",
  shortNames: ["deploy"],
  categories: ["all"],
  doc: "A Deployment runs pods of one template, and rolls out changes of it.",
  fields: {
    spec: elided(DeploymentSpec)
      .listed(true, "1.37")
      .at(2)
      .doc("The desired state of the deployment, set by its users."),
    status: elided(DeploymentStatus)
      .at(3)
      .doc("The most recently observed state of the deployment, written by the system."),
  },
  generation: true,
  compat: { carried: [rollbackTo] },
  defaults({ metadata }) {
    const { annotations } = metadata;
    if (annotations?.[rollbackTo] === "") {
      delete annotations[rollbackTo];
      if (Object.keys(annotations).length === 0) delete metadata.annotations;
    }
    numberAnnotation(metadata, rollbackTo);
  },
  prepareForUpdate(object, old) {
    // Annotations count as well: controllers read some of them.
    if (!sameValue(object.metadata.annotations, old.metadata.annotations)) {
      object.metadata.generation = nextGeneration(old.metadata.generation);
    }
  },
  relations,
  validate: validateDeployment,
  validateUpdate: keepingPages(validateDeployment, ({ spec }) => spec?.template?.spec),
  warnings: workloadWarnings,
  columns: (column) => [
    nameColumn,
    column("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
    column("Up-to-date", ({ status }) => status?.updatedReplicas ?? 0),
    column("Available", ({ status }) => status?.availableReplicas ?? 0),
    ageColumn,
    column("Containers", (object) => containerNames(object.spec?.template?.spec), { priority: 1 }),
    column("Images", (object) => containerImages(object.spec?.template?.spec), { priority: 1 }),
    column("Selector", (object) => selectorText(object.spec?.selector), { priority: 1 }),
  ],
  subresources: [
    scale((deployment: { metadata: ObjectMeta; spec?: DeploymentSpec }) => selectorQuery(deployment.spec?.selector)),
    status({ merge: keepSpecAndLabels, resets: ["metadata.labels"], validate: validateStatus }),
  ],
});
export type Deployment = Static<typeof Deployment>;

const noSpec: DeploymentSpec = { template: {} };

interface DeploymentParts {
  metadata: ObjectMeta;
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
}

function keepSpecAndLabels(written: unknown, parent: DeploymentParts): DeploymentParts {
  // The registry has decoded the body as a deployment.
  const next = written as DeploymentParts;
  const { labels: _labels, ...metadata } = next.metadata;
  return {
    ...next,
    metadata: parent.metadata.labels ? { ...metadata, labels: parent.metadata.labels } : metadata,
    spec: parent.spec ?? noSpec,
  };
}

/** v1.21 reports the revision under its former field name. */
function validateDeployment({ metadata, spec = noSpec }: DeploymentParts, environment: Environment): FieldError[] {
  const revision = metadata.annotations?.[rollbackTo];
  return [
    ...validateTemplate(spec.template, spec.selector, spec.replicas ?? 0, environment),
    ...(revision?.startsWith("-")
      ? [invalid("spec.rollback.version", revision, "must be greater than or equal to 0")]
      : []),
  ];
}

const checkStatus = checker(DeploymentStatus);

function validateStatus({ status }: DeploymentParts, old: DeploymentParts, environment: Environment): FieldErrors {
  return [
    ...checkStatus(status, "status", environment),
    ...validateBounds(status, [
      ["updatedReplicas", "replicas"],
      ["readyReplicas", "replicas"],
      ["availableReplicas", "replicas"],
      ["availableReplicas", "readyReplicas"],
    ]),
    ...validateCollisions(status?.collisionCount, old.status?.collisionCount),
  ];
}
