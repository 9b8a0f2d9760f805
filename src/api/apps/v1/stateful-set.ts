/** A StatefulSet runs pods that have stable names and storage. */

import { since, valuesIn } from "../../../base/release.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import {
  elided,
  int32,
  int64,
  intOrString,
  list,
  nullable,
  optional,
  printed,
  renamed,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { checkedWhen, checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { FieldError, FieldErrors } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { conditionList } from "../../common-fields.ts";
import { PersistentVolumeClaimObject } from "../../core/v1/persistent-volume-claim.ts";
import { containerImages, containerNames } from "../../core/v1/pod/columns.ts";
import { withoutKeptPages } from "../../core/v1/pod/kept-huge-pages.ts";
import { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import {
  validatePodTemplateSpec,
  validateRunsForever,
  validateSelected,
  validateTemplateMetadata,
} from "../../core/v1/pod/validate-template.ts";
import { templateWarnings } from "../../core/v1/pod/warnings.ts";
import { claimSpecWarnings } from "../../core/v1/volume/warnings.ts";
import { has } from "../../features.ts";
import { isSoundSelector, LabelSelector } from "../../meta/label-selector.ts";
import { selectorQuery } from "../../meta/selector-text.ts";
import { scale } from "../../scale.ts";
import { validateBounds } from "../../validation.ts";
import { DaemonSetCondition } from "./daemon-set.ts";
import { isNothing, validateAtMostAll, validatePart } from "./part-rules.ts";
import { validateCollisions } from "./validate-workload.ts";
import { narrower, selecting, validateSound } from "./workload-selector.ts";

const RollingUpdateStatefulSetStrategy = struct(
  "apps.v1.RollingUpdateStatefulSetStrategy",
  {
    partition: optional(int32())
      .at(1)
      .atLeast(0)
      .default(0)
      .doc("Only pods with this ordinal or a higher one are updated. Default: 0."),
    maxUnavailable: optional(intOrString())
      .at(2)
      .since("1.24")
      .checked(validatePart)
      .checked(validateAtMostAll)
      .checked((value, path) => (isNothing(value) ? [invalid(path, value, "must not be 0")] : []))
      .behind("MaxUnavailableStatefulSet")
      .doc(
        "How many pods, as a number or a percentage, may be unavailable during an update; needs the feature gate MaxUnavailableStatefulSet. Default: 1.",
      ),
  },
  {
    defaults(strategy, { gates }) {
      if (gates.enabled("MaxUnavailableStatefulSet")) strategy.maxUnavailable ??= 1;
    },
  },
);

const StatefulSetCondition = renamed("apps.v1.StatefulSetCondition", DaemonSetCondition);

const StatefulSetUpdateStrategy = struct(
  "apps.v1.StatefulSetUpdateStrategy",
  {
    type: elided(string())
      .at(1)
      .openApiEnum(["OnDelete", "RollingUpdate"])
      .from("1.37", (type) => type.openApiEnum(["OnDelete", "Recreate", "RollingUpdate"]))
      .doc("RollingUpdate replaces pods by itself, OnDelete waits until pods are deleted. Default: RollingUpdate."),
    rollingUpdate: optional(RollingUpdateStatefulSetStrategy)
      .at(2)
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

const retention = ["Retain", "Delete"];

const StatefulSetPersistentVolumeClaimRetentionPolicy = struct(
  "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  {
    whenDeleted: elided(string())
      .at(1)
      .openApiEnum("none")
      .required()
      .oneOf(retention)
      // Before, the field is dropped unless its gate is turned on.
      .from("1.27", (when) => when.default("Retain"))
      .doc("Retain or Delete the claims when the set is deleted. Default: Retain."),
    whenScaled: elided(string())
      .at(2)
      .openApiEnum("none")
      .required()
      .oneOf(retention)
      // Before, the field is dropped unless its gate is turned on.
      .from("1.27", (when) => when.default("Retain"))
      .doc("Retain or Delete the claims of pods that are beyond a lowered number of replicas. Default: Retain."),
  },
);

const StatefulSetOrdinals = struct("apps.v1.StatefulSetOrdinals", {
  start: int32().listed(false).at(1).atLeast(0).doc("The ordinal of the first pod. Default: 0."),
});

const managementPolicies = ["OrderedReady", "Parallel"];

export const StatefulSetSpec = struct(
  "apps.v1.StatefulSetSpec",
  {
    replicas: optional(int32()).at(1).atLeast(0).default(1).doc("The desired number of pods. Default: 1."),
    selector: nullable(LabelSelector)
      .listed(true)
      .at(2)
      .required()
      .checked(validateSound)
      .checked(narrower("statefulset"))
      .doc("Labels of the pods that belong to it; must match the labels of the template and cannot be changed."),
    template: PodTemplateSpec.at(3).doc("The pods to create; each is named after the set and an ordinal, as web-0."),
    volumeClaimTemplates: elided(list(PersistentVolumeClaimObject))
      .at(4)
      .unchecked()
      .doc("Claims that are created for each pod and kept when the pod is replaced."),
    serviceName: string()
      .at(5)
      .from("1.33", (name) => name.listed(false))
      .from("1.34", (name) => name.named("label").orEmpty().ratcheted())
      .doc("The headless service that gives the pods their DNS names."),
    podManagementPolicy: elided(string())
      .at(6)
      .required()
      .oneOf(managementPolicies, `must be one of ${managementPolicies.join(", ")}`)
      .default("OrderedReady")
      .doc("OrderedReady creates and deletes pods one after another, Parallel all at once. Default: OrderedReady."),
    updateStrategy: elided(StatefulSetUpdateStrategy)
      .at(7)
      .checked((strategy, path) =>
        ["", "RollingUpdate", "OnDelete"].includes(strategy.type ?? "")
          ? noErrors
          : [invalid(path, strategy, "must be RollingUpdate or OnDelete")],
      )
      .doc("How pods are replaced when the template changes."),
    revisionHistoryLimit: optional(int32())
      .at(8)
      .default(10)
      .doc("How many old revisions are kept for a rollback. Default: 10."),
    minReadySeconds: elided(int32())
      .at(9)
      .since("1.22")
      .behind("StatefulSetMinReadySeconds")
      .atLeast(0)
      .doc("Seconds that a new pod must be ready to count as available. Default: 0."),
    persistentVolumeClaimRetentionPolicy: optional(StatefulSetPersistentVolumeClaimRetentionPolicy)
      .at(10)
      .since("1.23")
      .behind("StatefulSetAutoDeletePVC")
      .doc(
        "Whether claims that were made from volumeClaimTemplates are deleted with their pods. Default: they are kept.",
      ),
    ordinals: optional(StatefulSetOrdinals)
      .at(11)
      .since("1.26")
      .behind("StatefulSetStartOrdinal")
      .doc("From which number pods are numbered. Absent: from 0."),
  },
  {
    from: {
      "1.27": {
        defaults: (spec: { persistentVolumeClaimRetentionPolicy?: object }) => {
          spec.persistentVolumeClaimRetentionPolicy ??= {};
        },
      },
    },
  },
);
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
    .atLeast(0)
    .doc("How often a generated name was already taken; the controller uses it to choose the next name."),
  conditions: elided(list(StatefulSetCondition, conditionList))
    .at(10)
    .doc("The current state of the object, one entry for each condition type."),
  availableReplicas: elided(int32())
    .listed(false)
    .at(11)
    .since("1.22")
    .from("1.23", printed)
    .atLeast(0)
    .doc("Pods that have been ready for at least minReadySeconds."),
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
    spec: elided(StatefulSetSpec)
      .listed(true, "1.37")
      .at(2)
      .doc("The desired state of the stateful set, set by its users."),
    status: elided(StatefulSetStatus)
      .at(3)
      .doc("The most recently observed state of the stateful set, written by the system."),
  },
  generation: true,
  // A name with dots could not name pods. Updates do not check it again.
  from: { "1.28": { name: "label" } },
  relations: [
    checkedWhen(StatefulSetUpdateStrategy, ["rollingUpdate"], ({ type }) => type === "RollingUpdate"),
    refuse(
      StatefulSetUpdateStrategy,
      "rollingUpdate",
      "only allowed for updateStrategy 'RollingUpdate'",
      ({ type, rollingUpdate }) => type === "OnDelete" && rollingUpdate !== undefined,
    ),
  ],
  validate: (set, environment) => validateTemplate(set.spec ?? noSpec, environment),
  validateUpdate: (set, old, environment) => validateUpdate(set.spec ?? noSpec, old.spec ?? noSpec, environment),
  warnings: warningsOf,
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

interface SetParts {
  readonly metadata: ObjectMeta;
  readonly spec?: StatefulSetSpec;
}

function warningsOf({ metadata, spec }: SetParts, old: SetParts | undefined, environment: Environment): string[] {
  const isChanged = old === undefined || old.metadata.generation !== metadata.generation;
  return [
    ...(isChanged ? templateWarnings(spec?.template, "spec.template", environment) : []),
    ...(isChanged && has(environment, "storageWarnings")
      ? (spec?.volumeClaimTemplates ?? []).flatMap((claim, index) =>
          claim.spec ? claimSpecWarnings(claim.spec, `spec.volumeClaimTemplates[${index}].spec`) : [],
        )
      : []),
    ...(has(environment, "historyWarnings") && (spec?.revisionHistoryLimit ?? 0) < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : []),
  ];
}

const noSpec: StatefulSetSpec = { template: {}, serviceName: "" };

/** Before 1.34 the pods of a set are not validated: their claims are volumes that the template does not name. */
function validateTemplate(spec: StatefulSetSpec, environment: Environment, old?: StatefulSetSpec): FieldError[] {
  const { selector, template } = spec;
  const path = "spec.template";
  const checksPods =
    has(environment, "checkedPodsOfSets") && (old === undefined || !sameValue(template, old.template, PodTemplateSpec));
  const errors = isSoundSelector(selector)
    ? [
        ...validateSelected(template, selecting(selector), path),
        ...(checksPods
          ? validatePodTemplateSpec(withClaims(spec), path, environment)
          : validateTemplateMetadata(template, path, environment)),
      ]
    : [];
  return [...errors, ...validateRunsForever(template, `${path}.spec`)];
}

/** The template with a volume for each claim, in place of one of the same name. */
function withClaims({ template, volumeClaimTemplates: claims }: StatefulSetSpec): PodTemplateSpec {
  if (!template.spec || !claims || claims.length === 0) return template;
  const names = claims.map(({ metadata }) => metadata?.name ?? "");
  const replaced = new Set(names);
  const others = (template.spec.volumes ?? []).filter(({ name }) => !replaced.has(name));
  const volumes = [...others, ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))];
  return { ...template, spec: { ...template.spec, volumes } };
}

const changeable = [
  "replicas",
  "template",
  "updateStrategy",
  since("1.23", "minReadySeconds"),
  since("1.27", "persistentVolumeClaimRetentionPolicy"),
  since("1.27", "ordinals"),
  since("1.33", "revisionHistoryLimit"),
];

/** Pods keep their names and claims, so only fields that do not affect these may change. */
function validateUpdate(spec: StatefulSetSpec, old: StatefulSetSpec, environment: Environment): FieldError[] {
  const names = new Set(valuesIn(environment.level, changeable));
  const fixed = (of: StatefulSetSpec) => Object.fromEntries(Object.entries(of).filter(([name]) => !names.has(name)));
  const errors = [...withoutKeptPages(validateTemplate(spec, environment, old), old.template.spec)];
  if (sameValue(fixed(spec), fixed(old), StatefulSetSpec)) return errors;
  if (has(environment, "namedSetChanges")) return [...errors, ...fixedProblems(spec, old)];
  const allowed = [...names].map((name) => `'${name}'`).join(", ");
  return [...errors, forbidden("spec", `updates to statefulset spec for fields other than ${allowed} are forbidden`)];
}

const fixedFields = ["selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates"] as const;

const fixedProblems = (spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] =>
  fixedFields
    .filter((field) => !sameValue(spec[field], old[field]))
    .map((field) => invalid(`spec.${field}`, spec[field], "field is immutable"));

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
      ...(has(environment, "countedAvailable") ? availableBounds : []),
    ]),
    ...validateCollisions(status?.collisionCount, old.status?.collisionCount),
  ];
}

/** Since the status has the field: a negative number of replicas is below it even if it is absent. */
const availableBounds = [
  ["availableReplicas", "replicas"],
  ["availableReplicas", "readyReplicas"],
] as const;
