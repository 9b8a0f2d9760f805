/** How pods choose nodes: selectors, affinity, tolerations, spreading. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const NodeSelectorRequirement = struct("core.v1.NodeSelectorRequirement", {
  key: string().at(1),
  operator: string().at(2),
  values: elided(list(string())).at(3),
});
export type NodeSelectorRequirement = Static<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = struct("core.v1.NodeSelectorTerm", {
  matchExpressions: elided(list(NodeSelectorRequirement)).at(1),
  matchFields: elided(list(NodeSelectorRequirement)).at(2),
});
export type NodeSelectorTerm = Static<typeof NodeSelectorTerm>;

export const NodeSelector = struct("core.v1.NodeSelector", {
  nodeSelectorTerms: list(NodeSelectorTerm).at(1),
});
export type NodeSelector = Static<typeof NodeSelector>;

export const PreferredSchedulingTerm = struct("core.v1.PreferredSchedulingTerm", {
  weight: int32().at(1),
  preference: NodeSelectorTerm.at(2),
});
export type PreferredSchedulingTerm = Static<typeof PreferredSchedulingTerm>;

export const NodeAffinity = struct("core.v1.NodeAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(NodeSelector).at(1),
  preferredDuringSchedulingIgnoredDuringExecution: elided(list(PreferredSchedulingTerm)).at(2),
});
export type NodeAffinity = Static<typeof NodeAffinity>;

export const PodAffinityTerm = struct("core.v1.PodAffinityTerm", {
  labelSelector: optional(LabelSelector).at(1),
  namespaces: elided(list(string())).at(2),
  topologyKey: string().at(3),
  namespaceSelector: optional(LabelSelector).at(4),
});
export type PodAffinityTerm = Static<typeof PodAffinityTerm>;

export const WeightedPodAffinityTerm = struct("core.v1.WeightedPodAffinityTerm", {
  weight: int32().at(1),
  podAffinityTerm: PodAffinityTerm.at(2),
});
export type WeightedPodAffinityTerm = Static<typeof WeightedPodAffinityTerm>;

export const PodAffinity = struct("core.v1.PodAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: elided(list(PodAffinityTerm)).at(1),
  preferredDuringSchedulingIgnoredDuringExecution: elided(list(WeightedPodAffinityTerm)).at(2),
});
export type PodAffinity = Static<typeof PodAffinity>;

export const PodAntiAffinity = struct("core.v1.PodAntiAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: elided(list(PodAffinityTerm)).at(1),
  preferredDuringSchedulingIgnoredDuringExecution: elided(list(WeightedPodAffinityTerm)).at(2),
});
export type PodAntiAffinity = Static<typeof PodAntiAffinity>;

export const Affinity = struct("core.v1.Affinity", {
  nodeAffinity: optional(NodeAffinity).at(1),
  podAffinity: optional(PodAffinity).at(2),
  podAntiAffinity: optional(PodAntiAffinity).at(3),
});
export type Affinity = Static<typeof Affinity>;

export const ScopedResourceSelectorRequirement = struct("core.v1.ScopedResourceSelectorRequirement", {
  scopeName: string().at(1),
  operator: string().at(2),
  values: elided(list(string())).at(3),
});
export type ScopedResourceSelectorRequirement = Static<typeof ScopedResourceSelectorRequirement>;

export const ScopeSelector = struct("core.v1.ScopeSelector", {
  matchExpressions: elided(list(ScopedResourceSelectorRequirement)).at(1),
});
export type ScopeSelector = Static<typeof ScopeSelector>;

export const Toleration = struct("core.v1.Toleration", {
  key: elided(string()).at(1),
  operator: elided(string()).at(2),
  value: elided(string()).at(3),
  effect: elided(string()).at(4),
  tolerationSeconds: optional(int64()).at(5),
});
export type Toleration = Static<typeof Toleration>;

export const TopologySelectorLabelRequirement = struct("core.v1.TopologySelectorLabelRequirement", {
  key: string().at(1),
  values: list(string()).at(2),
});
export type TopologySelectorLabelRequirement = Static<typeof TopologySelectorLabelRequirement>;

export const TopologySelectorTerm = struct("core.v1.TopologySelectorTerm", {
  matchLabelExpressions: elided(list(TopologySelectorLabelRequirement)).at(1),
});
export type TopologySelectorTerm = Static<typeof TopologySelectorTerm>;

export const TopologySpreadConstraint = struct("core.v1.TopologySpreadConstraint", {
  maxSkew: int32().at(1),
  topologyKey: string().at(2),
  whenUnsatisfiable: string().at(3),
  labelSelector: optional(LabelSelector).at(4),
});
export type TopologySpreadConstraint = Static<typeof TopologySpreadConstraint>;
