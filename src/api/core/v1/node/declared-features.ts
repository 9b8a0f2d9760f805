/**
 * Features that a node may declare in its status, and which pods need them. A node declares what its agent has, so that a cluster whose nodes
 * are of several releases gives no pod to a node that would ignore a part of it. Each has the name of its gate.
 */

import { sameValue } from "../../../../machinery/schema/same-value.ts";
import { type Container, ResourceRequirements } from "../pod/container.ts";
import type { PodSpec } from "../pod/spec.ts";

interface DeclaredFeature {
  readonly name: string;
  /** Whether a pod can only run on nodes that have it. */
  isNeededBy?(spec: PodSpec): boolean;
  /** Whether a pod that has a node can only be changed in this way if the node has it. */
  isNeededFor?(spec: PodSpec, before: PodSpec): boolean;
}

const features: readonly DeclaredFeature[] = [
  {
    name: "InPlacePodLevelResourcesVerticalScaling",
    isNeededFor: (spec, before) => !sameValue(spec.resources, before.resources, ResourceRequirements),
  },
  {
    name: "InPlacePodVerticalScalingInitContainers",
    isNeededFor: ({ initContainers: now }, { initContainers: old }) =>
      (old ?? []).some(
        ({ restartPolicy, resources }, index) =>
          restartPolicy !== "Always" && !sameValue(resources, now?.[index]?.resources, ResourceRequirements),
      ),
  },
  {
    name: "RestartAllContainersOnContainerExits",
    isNeededBy: ({ containers, initContainers }) =>
      [...(containers ?? []), ...(initContainers ?? [])].some(restartsAll),
  },
  {
    name: "UserNamespacesHostNetworkSupport",
    isNeededBy: ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false,
  },
];

/** What a node must declare to run the pod. */
export const featuresNeededBy = (spec: PodSpec): readonly string[] =>
  features.filter(({ isNeededBy }) => isNeededBy?.(spec) === true).map(({ name }) => name);

/** What the node of a pod must declare for this change of the pod. */
export const featuresNeededFor = (spec: PodSpec, before: PodSpec): readonly string[] =>
  features.filter(({ isNeededFor }) => isNeededFor?.(spec, before) === true).map(({ name }) => name);

const restartsAll = ({ restartPolicyRules }: Container): boolean =>
  (restartPolicyRules ?? []).some(({ action }) => action === "RestartAllContainers");
