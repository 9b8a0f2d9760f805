/** How pods choose nodes: selectors, affinity, tolerations, spreading. */

import { validateLabelSelector } from "../../../../machinery/meta/label-selector.ts";
import type { Static } from "../../../../machinery/schema/build.ts";
import { elided, int32, int64, list, optional, renamed, string, struct } from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { duplicate, type FieldErrors, invalid, noErrors, ofEach } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { LabelSelector } from "../../../meta/label-selector.ts";

const nodePolicies = ["Honor", "Ignore"];

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export const NodeSelectorRequirement = struct("core.v1.NodeSelectorRequirement", {
  key: string().at(1).doc("The key of the label, or the name of the field. Required."),
  operator: string()
    .at(2)
    .openApiEnum(["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"])
    .doc("In, NotIn, Exists, DoesNotExist, Gt or Lt."),
  values: elided(list(string()))
    .at(3)
    .doc("Texts for In and NotIn, one integer for Gt and Lt, nothing for Exists and DoesNotExist."),
});
export type NodeSelectorRequirement = Static<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = struct(
  "core.v1.NodeSelectorTerm",
  {
    matchExpressions: elided(list(NodeSelectorRequirement))
      .at(1)
      .doc("Requirements on labels of the node; all must match."),
    matchFields: elided(list(NodeSelectorRequirement))
      .at(2)
      .doc("Requirements on fields of the node, only metadata.name; all must match."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type NodeSelectorTerm = Static<typeof NodeSelectorTerm>;

export const NodeSelector = struct(
  "core.v1.NodeSelector",
  {
    nodeSelectorTerms: list(NodeSelectorTerm)
      .at(1)
      .required("must have at least one node selector term")
      .doc("Terms of which at least one must match."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type NodeSelector = Static<typeof NodeSelector>;

const PreferredSchedulingTerm = struct("core.v1.PreferredSchedulingTerm", {
  weight: int32().at(1).atLeast(1).atMost(100, "must be in the range 1-100").doc("How much the term counts, 1 to 100."),
  preference: NodeSelectorTerm.at(2).doc("The requirements that a node should meet to get the weight. Required."),
});

const NodeAffinity = struct("core.v1.NodeAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(NodeSelector)
    .at(1)
    .doc("Nodes that the pod may be scheduled to; changes of labels later do not evict it."),
  preferredDuringSchedulingIgnoredDuringExecution: elided(list(PreferredSchedulingTerm))
    .at(2)
    .doc("Nodes that are preferred; the node with the highest sum of weights wins."),
});

export const PodAffinityTerm = struct("core.v1.PodAffinityTerm", {
  labelSelector: optional(LabelSelector)
    .at(1)
    .checked(validateLabelSelector)
    .doc("Labels of the pods that the term is about. Absent: none."),
  namespaces: elided(list(string().named("label").reported("")))
    .at(2)
    .reported("namespace")
    .doc("Namespaces of these pods. Empty, with no namespaceSelector: that of this pod."),
  topologyKey: string()
    .at(3)
    .required("can not be empty")
    .named("qualified")
    .evenEmpty()
    .doc(
      "The node label whose value defines a place: two nodes with the same value are the same place. Must not be empty.",
    ),
  namespaceSelector: optional(LabelSelector)
    .at(4)
    .checked(validateLabelSelector)
    .behind("PodAffinityNamespaceSelector")
    .doc(
      "Labels of the namespaces of these pods, in addition to namespaces. Empty: all namespaces. Needs the feature gate PodAffinityNamespaceSelector.",
    ),
  matchLabelKeys: elided(list(string(), { topology: "atomic" }))
    .at(5)
    .since("1.29")
    .behind("MatchLabelKeysInPodAffinity")
    .doc("Labels of this pod whose values the other pods must have as well; needs labelSelector."),
  mismatchLabelKeys: elided(list(string(), { topology: "atomic" }))
    .at(6)
    .since("1.29")
    .behind("MatchLabelKeysInPodAffinity")
    .doc("Labels of this pod whose values the other pods must not have; needs labelSelector."),
});
export type PodAffinityTerm = Static<typeof PodAffinityTerm>;

const WeightedPodAffinityTerm = struct("core.v1.WeightedPodAffinityTerm", {
  weight: int32().at(1).atLeast(1).atMost(100, "must be in the range 1-100").doc("How much the term counts, 1 to 100."),
  podAffinityTerm: PodAffinityTerm.at(2).doc("The rule that a node should meet to get the weight. Required."),
});

const PodAffinity = struct("core.v1.PodAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: elided(list(PodAffinityTerm))
    .at(1)
    .doc("Terms that must hold for the pod to be scheduled; changes of labels later do not evict it."),
  preferredDuringSchedulingIgnoredDuringExecution: elided(list(WeightedPodAffinityTerm))
    .at(2)
    .doc("Terms that should hold; the node with the highest sum of weights wins."),
});

const PodAntiAffinity = renamed("core.v1.PodAntiAffinity", PodAffinity);

export const Affinity = struct("core.v1.Affinity", {
  nodeAffinity: optional(NodeAffinity).at(1).doc("Which nodes the pod may or should run on."),
  podAffinity: optional(PodAffinity).at(2).doc("Which pods this pod must or should run close to."),
  podAntiAffinity: optional(PodAntiAffinity).at(3).doc("Which pods this pod must or should run away from."),
});
export type Affinity = Static<typeof Affinity>;

/** Scopes that an object is in or not, without a value. */
export const plainScopes: ReadonlySet<string> = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
]);
export const affinityScope = "CrossNamespacePodAffinity";

export const attributesScope = "VolumeAttributesClass";

export const validateScope = (scope: string, path: string, environment: Environment): FieldErrors =>
  isKnownScope(scope, environment) ? noErrors : [invalid(path, scope, "unsupported scope")];

export function isKnownScope(scope: string, environment: Environment): boolean {
  if (scope === attributesScope) return has(environment, "quotasOfAttributes");
  if (scope === affinityScope) return environment.gates.enabled("PodAffinityNamespaceSelector");
  return scope === "PriorityClass" || plainScopes.has(scope);
}

/** The scopes of quotas; the last one since 1.33. */
export const scopeNames = [
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
];

export const ScopedResourceSelectorRequirement = struct("core.v1.ScopedResourceSelectorRequirement", {
  scopeName: string()
    .at(1)
    .openApiEnum(scopeNames.slice(0, -1))
    .from("1.33", (scope) => scope.openApiEnum(scopeNames))
    .checked(validateScope)
    .doc("Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass or CrossNamespacePodAffinity."),
  operator: string()
    .at(2)
    .oneOf(["In", "NotIn", "Exists", "DoesNotExist"], "not a valid selector operator")
    .doc("In, NotIn, Exists or DoesNotExist."),
  values: elided(list(string())).at(3).doc("Values for In and NotIn; must be empty for Exists and DoesNotExist."),
});
export type ScopedResourceSelectorRequirement = Static<typeof ScopedResourceSelectorRequirement>;

export const ScopeSelector = struct(
  "core.v1.ScopeSelector",
  {
    matchExpressions: elided(list(ScopedResourceSelectorRequirement.reported("")))
      .at(1)
      .doc("Requirements on scopes; all must match."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type ScopeSelector = Static<typeof ScopeSelector>;

export const Toleration = struct("core.v1.Toleration", {
  key: elided(string())
    .at(1)
    .named("qualified")
    .doc("The key of the taints that are tolerated. Empty, with operator Exists: all."),
  operator: elided(string())
    .at(2)
    .openApiEnum(["Equal", "Exists"])
    .from("1.35", (operator) => operator.openApiEnum(["Equal", "Exists", "Gt", "Lt"]))
    .oneOf(["Equal", "Exists"])
    .doc("Exists, or Equal, which compares value. Default: Equal."),
  value: elided(string()).at(3).doc("The value of the taint; must be empty with operator Exists."),
  effect: elided(string()).at(4).oneOf(taintEffects).doc("The effect of the taint. Empty: all effects."),
  tolerationSeconds: optional(int64())
    .at(5)
    .doc("Seconds that a NoExecute taint is tolerated; 0 or less evicts at once. Absent: forever."),
});
export type Toleration = Static<typeof Toleration>;

const TopologySelectorLabelRequirement = struct("core.v1.TopologySelectorLabelRequirement", {
  key: string().at(1).named("qualified").doc("The key of the node label, or the name of the field. Required."),
  values: list(string()).at(2).required().unique().doc("Values of which the label must have one."),
});

export const TopologySelectorTerm = struct(
  "core.v1.TopologySelectorTerm",
  {
    matchLabelExpressions: elided(list(TopologySelectorLabelRequirement))
      .at(1)
      .doc("Requirements on labels; all must match."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type TopologySelectorTerm = Static<typeof TopologySelectorTerm>;

export const TopologySpreadConstraint = struct("core.v1.TopologySpreadConstraint", {
  maxSkew: int32()
    .at(1)
    .atLeast(1, "must be greater than zero")
    .doc("How much the numbers of matching pods in two places may differ; greater than 0."),
  topologyKey: string().at(2).required("can not be empty").doc("The node label whose value defines a place."),
  whenUnsatisfiable: string()
    .at(3)
    .oneOf(["DoNotSchedule", "ScheduleAnyway"])
    .doc("DoNotSchedule, or ScheduleAnyway to prefer places that reduce the skew."),
  labelSelector: optional(LabelSelector)
    .at(4)
    .from("1.27", (selector) => selector.checked(validateLabelSelector))
    .doc("Labels of the pods that are counted."),
  minDomains: optional(int32())
    .at(5)
    .since("1.24")
    .behind("MinDomainsInPodTopologySpread")
    .atLeast(1, "must be greater than zero")
    .doc(
      "With fewer matching places than this, the fewest pods of a place count as 0; needs DoNotSchedule. Default: 1.",
    ),
  nodeAffinityPolicy: optional(string())
    .at(6)
    .since("1.25")
    .behind("NodeInclusionPolicyInPodTopologySpread")
    .oneOf(nodePolicies)
    .doc("Whether nodes that nodeAffinity and nodeSelector exclude are left out: Honor or Ignore. Default: Honor."),
  nodeTaintsPolicy: optional(string())
    .at(7)
    .since("1.25")
    .behind("NodeInclusionPolicyInPodTopologySpread")
    .oneOf(nodePolicies)
    .doc("Whether nodes with taints that the pod does not tolerate are left out: Honor or Ignore. Default: Ignore."),
  matchLabelKeys: elided(list(string(), { topology: "atomic" }))
    .at(8)
    .since("1.25")
    .behind("MatchLabelKeysInPodTopologySpread")
    .doc("Labels of this pod whose values the counted pods must have as well; needs labelSelector."),
});
export type TopologySpreadConstraint = Static<typeof TopologySpreadConstraint>;

/** Each pair of a key and what happens without it occurs once; the last of several counts. */
export function validateSpread(constraints: readonly TopologySpreadConstraint[], path: string): FieldErrors {
  const keyOf = (constraint: TopologySpreadConstraint) => `${constraint.topologyKey}, ${constraint.whenUnsatisfiable}`;
  const last = new Map(constraints.map((constraint, index) => [keyOf(constraint), index]));
  return ofEach(constraints, (constraint, index) => {
    const key = keyOf(constraint);
    const at = `${path}[${index}].{topologyKey, whenUnsatisfiable}`;
    return last.get(key) === index ? noErrors : [duplicate(at, `{${key}}`)];
  });
}
