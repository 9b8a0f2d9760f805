/** Every filter, in the order of v1.21: a node is rejected for the reasons of the first that objects. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { declaredFeatures } from "./declared-features.ts";
import { devices } from "./devices.ts";
import type { NodeFilter } from "./filter.ts";
import { hostPorts } from "./host-ports.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { podAffinity } from "./pod-affinity.ts";
import { resources } from "./resources.ts";
import { taints } from "./taints.ts";
import { topologySpread } from "./topology-spread.ts";
import { createUnschedulable } from "./unschedulable.ts";
import { volumes } from "./volumes.ts";

/** `readsFeatures`: nodes declare what their agents have. */
export const filtersOf = (vocabulary: Vocabulary, readsFeatures: boolean): readonly NodeFilter[] => [
  createUnschedulable(vocabulary.word("node.orch.io/unschedulable")),
  taints,
  nodeAffinity,
  hostPorts,
  resources,
  volumes,
  devices,
  topologySpread,
  podAffinity,
  ...(readsFeatures ? [declaredFeatures] : []),
];
