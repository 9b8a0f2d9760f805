/** Fields of features that are on by default, and that a gate can still turn off. */

import type { GateWithEffect } from "../../../../machinery/schema/gates.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { PodSpec } from "./spec.ts";

const containersOf = ({ containers, initContainers }: PodSpec) => [...(containers ?? []), ...(initContainers ?? [])];

interface BetaField {
  readonly gate: GateWithEffect;
  readonly member: string;
  /** The parts of a pod that have the member. */
  readonly holders: (spec: PodSpec) => readonly (object | undefined)[];
}

const betaFields: readonly BetaField[] = [
  { gate: "PodLevelResources", member: "resources", holders: (spec) => [spec] },
  { gate: "HostnameOverride", member: "hostnameOverride", holders: (spec) => [spec] },
  { gate: "UserNamespacesSupport", member: "hostUsers", holders: (spec) => [spec] },
  { gate: "SELinuxChangePolicy", member: "seLinuxChangePolicy", holders: (spec) => [spec.securityContext] },
  { gate: "ImageVolume", member: "image", holders: (spec) => spec.volumes ?? [] },
  {
    gate: "MatchLabelKeysInPodTopologySpread",
    member: "matchLabelKeys",
    holders: (spec) => spec.topologySpreadConstraints ?? [],
  },
  {
    gate: "EnvFiles",
    member: "fileKeyRef",
    holders: (spec) => containersOf(spec).flatMap(({ env }) => (env ?? []).map(({ valueFrom }) => valueFrom)),
  },
  { gate: "ContainerRestartRules", member: "restartPolicyRules", holders: containersOf },
  // Only init containers had a policy before.
  { gate: "ContainerRestartRules", member: "restartPolicy", holders: ({ containers }) => containers ?? [] },
];

/** In place; what the object had before, it keeps. */
export function dropBetaFields(spec: PodSpec, old: PodSpec | undefined, { gates }: Environment): void {
  for (const { gate, member, holders } of betaFields) {
    if (gates.enabled(gate)) continue;
    if (old !== undefined && holders(old).some((holder) => holder && Object.hasOwn(holder, member))) continue;
    for (const holder of holders(spec)) if (holder) Reflect.deleteProperty(holder, member);
  }
}
