/** A DaemonSet runs one pod on every node that fits. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import {
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
} from "../../../machinery/schema/build.ts";
import { checkedWhen, checker, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { need, refuse } from "../../../machinery/schema/relations.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type FieldError, type FieldErrors, required } from "../../../machinery/status/field-error.ts";
import { parseInt64 } from "../../../machinery/values/integer.ts";
import { ageColumn, labelsText, nameColumn } from "../../columns.ts";
import { conditionList } from "../../common-fields.ts";
import { containerImages, containerNames } from "../../core/v1/pod/columns.ts";
import { keepingPages } from "../../core/v1/pod/kept-huge-pages.ts";
import { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import {
  validatePodTemplateSpec,
  validateRunsForever,
  validateSelected,
  validateShareableVolumes,
} from "../../core/v1/pod/validate-template.ts";
import { templateWarnings } from "../../core/v1/pod/warnings.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { selectorText } from "../../meta/selector-text.ts";
import { numberAnnotation } from "./number-annotation.ts";
import { isNothing, validateAtMostAll, validatePart } from "./part-rules.ts";
import { validateCollisions } from "./validate-workload.ts";
import { workloadConditionFields } from "./workload-condition.ts";
import { narrower, selecting } from "./workload-selector.ts";

export const DaemonSetCondition = struct("apps.v1.DaemonSetCondition", {
  ...workloadConditionFields(),
});
export type DaemonSetCondition = Static<typeof DaemonSetCondition>;

const RollingUpdateDaemonSet = struct("apps.v1.RollingUpdateDaemonSet", {
  maxUnavailable: optional(intOrString())
    .at(1)
    .default(1)
    .checked(validatePart)
    .checked(validateAtMostAll)
    .doc("How many pods, as a number or a percentage, may be unavailable during an update. Default: 1."),
  maxSurge: optional(intOrString())
    .at(2)
    .default(0)
    .checked(validatePart)
    .checked(validateAtMostAll)
    .behind("DaemonSetUpdateSurge", { becomes: 0, unused: ["0%"] })
    .doc(
      "How many nodes, as a number or a percentage, may run an old and a new pod at the same time; needs the feature gate DaemonSetUpdateSurge. Default: 0.",
    ),
});

const DaemonSetUpdateStrategy = struct(
  "apps.v1.DaemonSetUpdateStrategy",
  {
    type: elided(string())
      .at(1)
      .oneOf(["RollingUpdate", "OnDelete"])
      .openApiEnum(["OnDelete", "RollingUpdate"])
      .reported("")
      .default("RollingUpdate")
      .doc("RollingUpdate replaces pods by itself, OnDelete waits until pods are deleted. Default: RollingUpdate."),
    rollingUpdate: optional(RollingUpdateDaemonSet).at(2).doc("How pods are replaced; only with type RollingUpdate."),
  },
  {
    defaults(strategy) {
      if ((strategy.type || "RollingUpdate") !== "RollingUpdate") return;
      strategy.rollingUpdate ??= {};
    },
  },
);
type DaemonSetUpdateStrategy = Static<typeof DaemonSetUpdateStrategy>;

export const DaemonSetSpec = struct("apps.v1.DaemonSetSpec", {
  selector: nullable(LabelSelector)
    .listed(true)
    .at(1)
    .checked(validateLabelSelector)
    .checked(narrower("daemonset"))
    .immutable()
    .doc("Labels of the pods that belong to it; must match the labels of the template and cannot be changed."),
  template: PodTemplateSpec.at(2).doc("The pods to create; each node that matches gets one."),
  updateStrategy: elided(DaemonSetUpdateStrategy).at(3).doc("How pods are replaced when the template changes."),
  minReadySeconds: elided(int32())
    .at(4)
    .atLeast(0)
    .doc("Seconds that a new pod must be ready to count as available. Default: 0."),
  revisionHistoryLimit: optional(int32())
    .at(6)
    .atLeast(0)
    .default(10)
    .doc("How many old revisions are kept for a rollback. Default: 10."),
});
export type DaemonSetSpec = Static<typeof DaemonSetSpec>;

export const DaemonSetStatus = struct("apps.v1.DaemonSetStatus", {
  currentNumberScheduled: int32().at(1).atLeast(0).doc("Nodes that run at least one pod of the set and should."),
  numberMisscheduled: int32().at(2).atLeast(0).doc("Nodes that run a pod of the set but should not."),
  desiredNumberScheduled: int32().at(3).atLeast(0).doc("Nodes that should run a pod of the set."),
  numberReady: int32().at(4).atLeast(0).doc("Nodes that should run a pod of the set and have one that is ready."),
  observedGeneration: elided(int64())
    .at(5)
    .atLeast(0)
    .doc("The metadata.generation that the controller last acted on."),
  updatedNumberScheduled: elided(int32()).at(6).atLeast(0).doc("Nodes that run a pod of the newest template."),
  numberAvailable: elided(int32()).at(7).atLeast(0).doc("Nodes whose pod has been ready for at least minReadySeconds."),
  numberUnavailable: elided(int32())
    .at(8)
    .atLeast(0)
    .doc("Nodes that should run a pod of the set but have none that is available."),
  collisionCount: optional(int32())
    .at(9)
    .atLeast(0)
    .doc("How often a generated name was already taken; the controller uses it to choose the next name."),
  conditions: elided(list(DaemonSetCondition, conditionList))
    .at(10)
    .doc("The current state of the object, one entry for each condition type."),
});
export type DaemonSetStatus = Static<typeof DaemonSetStatus>;

const isRolling = ({ type }: DaemonSetUpdateStrategy): boolean => type === "RollingUpdate";
const isStuck = ({ maxUnavailable, maxSurge }: Static<typeof RollingUpdateDaemonSet>): boolean =>
  isNothing(maxUnavailable) && isNothing(maxSurge);
const stuckText = "cannot be 0 when maxSurge is 0";

const relations: readonly Relation[] = [
  checkedWhen(DaemonSetUpdateStrategy, ["rollingUpdate"], isRolling),
  need(DaemonSetUpdateStrategy, "rollingUpdate", "", isRolling),
  refuse(
    RollingUpdateDaemonSet,
    "maxSurge",
    "may not be set when maxUnavailable is non-zero",
    ({ maxUnavailable, maxSurge }) => !isNothing(maxUnavailable) && !isNothing(maxSurge),
  ),
  refuse(RollingUpdateDaemonSet, "maxUnavailable", stuckText, isStuck, { until: "1.22" }),
  on(RollingUpdateDaemonSet, (rolling) => (isStuck(rolling) ? [required("maxUnavailable", stuckText)] : []), {
    since: "1.22",
  }),
];

const templateGeneration = "deprecated.daemonset.template.generation";

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
    spec: elided(DaemonSetSpec)
      .listed(true, "1.37")
      .at(2)
      .doc("The desired state of the daemon set, set by its users."),
    status: elided(DaemonSetStatus)
      .at(3)
      .doc("The most recently observed state of the daemon set, written by the system."),
  },
  generation: true,
  compat: { carried: [templateGeneration] },
  // The count is an internal field of v1.21, and so exists from the start.
  defaults: ({ metadata }) => numberAnnotation(metadata, templateGeneration, 0n),
  prepareForCreate(set) {
    countTemplate(set, undefined);
  },
  prepareForUpdate(set, old) {
    countTemplate(set, old);
  },
  relations,
  validate: validateSet,
  validateUpdate: keepingPages(validateSet, ({ spec }) => spec?.template.spec),
  warnings: ({ spec }, old, environment) =>
    sameValue(spec?.template, old?.spec?.template)
      ? []
      : templateWarnings(spec?.template, "spec.template", environment),
  columns: (column) => [
    nameColumn,
    column("Desired", ({ status }) => status?.desiredNumberScheduled ?? 0, { type: "integer" }),
    column("Current", ({ status }) => status?.currentNumberScheduled ?? 0, { type: "integer" }),
    column("Ready", ({ status }) => status?.numberReady ?? 0, { type: "integer" }),
    column("Up-to-date", ({ status }) => status?.updatedNumberScheduled ?? 0, { type: "integer" }),
    column("Available", ({ status }) => status?.numberAvailable ?? 0, { type: "integer" }),
    column("Node Selector", (set) => labelsText(set.spec?.template.spec?.nodeSelector)),
    ageColumn,
    column("Containers", (object) => containerNames(object.spec?.template.spec), { priority: 1 }),
    column("Images", (object) => containerImages(object.spec?.template.spec), { priority: 1 }),
    column("Selector", (object) => selectorText(object.spec?.selector), { priority: 1 }),
  ],
  subresources: [
    status({
      merge: mergeStatus,
      // A body without the count sets it to 0, and so owns it, though the path keeps the count.
      ownsGiven: true,
      validate: (next, old, environment) => validateStatus(next, old, environment),
    }),
  ],
});
export type DaemonSet = Static<typeof DaemonSet>;

const noSpec: DaemonSetSpec = { template: {} };

function validateSet({ spec = noSpec }: SetParts, environment: Environment): FieldError[] {
  return [
    // An absent selector matches no pod, so the template's labels do not match it.
    ...validateSelected(spec.template, selecting(spec.selector), "spec.template"),
    ...validatePodTemplateSpec(spec.template, "spec.template", environment),
    ...validateShareableVolumes(spec.template, "spec.template.spec.volumes", environment),
    ...validateRunsForever(spec.template, "spec.template.spec"),
  ];
}

/** Old clients use the count of template changes; new ones use revisions. */
function countTemplate(set: SetParts, old: SetParts | undefined): void {
  const { annotations } = old?.metadata ?? set.metadata;
  const before = parseInt64(annotations?.[templateGeneration] ?? "") ?? 0n;
  const changed = old !== undefined && !sameValue(set.spec?.template, old.spec?.template, PodTemplateSpec);
  const count = changed ? before + 1n : old === undefined && before < 1n ? 1n : before;
  set.metadata.annotations = { ...set.metadata.annotations, [templateGeneration]: String(count) };
}

interface SetParts {
  metadata: ObjectMeta;
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
}

/** The count belongs to the template, which this path does not change. */
function mergeStatus(written: unknown, parent: SetParts): SetParts {
  // The registry has decoded the body as a daemon set.
  const next = written as SetParts;
  const { [templateGeneration]: _count, ...annotations } = next.metadata.annotations ?? {};
  const count = parent.metadata.annotations?.[templateGeneration];
  const kept = count === undefined ? annotations : { ...annotations, [templateGeneration]: count };
  return { ...next, metadata: { ...next.metadata, annotations: kept }, spec: parent.spec ?? noSpec };
}

const checkStatus = checker(DaemonSetStatus);

const validateStatus = ({ status }: SetParts, old: SetParts, environment: Environment): FieldErrors => [
  ...checkStatus(status, "status", environment),
  ...validateCollisions(status?.collisionCount, old.status?.collisionCount),
];
