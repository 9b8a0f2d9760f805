/** Removes fields of disabled features from a pod, unless the object used them before. */

import type { Environment } from "../../../../machinery/schema/schema.ts";
import { dropBetaFields } from "./beta-fields.ts";
import type { PodSpec } from "./spec.ts";

export function dropFieldsBehindGates(
  spec: PodSpec | undefined,
  old: PodSpec | undefined,
  environment: Environment,
): void {
  if (spec === undefined) return;
  const { gates } = environment;
  const containers = allContainers(spec);
  // Deleting an absent member costs as much as several checks, here and below.
  if (spec.ephemeralContainers && !gates.enabled("EphemeralContainers") && !old?.ephemeralContainers) {
    delete spec.ephemeralContainers;
  }
  if (!gates.enabled("ProcMountType") && !usesProcMount(old)) {
    // The field was once always present, so a given value becomes the default instead of absent.
    for (const { securityContext: context } of containers) {
      if (context?.procMount !== undefined) context.procMount = "Default";
    }
  }
  if (!gates.enabled("ProbeTerminationGracePeriod") && !usesProbeGrace(old)) {
    for (const container of containers) {
      // Where it was never allowed, it stays for validation to refuse.
      for (const probe of [container.livenessProbe, container.startupProbe]) {
        if (probe?.terminationGracePeriodSeconds !== undefined) delete probe.terminationGracePeriodSeconds;
      }
    }
  }
  if (!gates.enabled("PodAffinityNamespaceSelector") && !usesNamespaceSelector(old)) {
    for (const term of affinityTerms(spec)) delete term.namespaceSelector;
  }
  if (environment.since("1.22")) {
    dropLaterFields(spec, old, environment);
    dropBetaFields(spec, old, environment);
  }
  if (!gates.enabled("GenericEphemeralVolume") && !(old?.volumes ?? []).some(({ ephemeral }) => ephemeral)) {
    for (const volume of spec.volumes ?? []) if (volume.ephemeral !== undefined) delete volume.ephemeral;
  }
}

/** Fields whose features later levels have, but not by default. */
function dropLaterFields(spec: PodSpec, old: PodSpec | undefined, { gates }: Environment): void {
  if (!gates.enabled("GenericWorkload") && !old?.workloadRef) delete spec.workloadRef;
  if (!gates.enabled("ContainerStopSignals") && !usesStopSignal(old)) {
    for (const container of allContainers(spec)) {
      if (container.lifecycle?.stopSignal === undefined) continue;
      const { stopSignal: _dropped, ...lifecycle } = container.lifecycle;
      container.lifecycle = lifecycle;
      if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
    }
  }
  for (const [gate, source] of projections) {
    if (gates.enabled(gate) || sourcesOf(old).some((one) => one[source] !== undefined)) continue;
    for (const one of sourcesOf(spec)) delete one[source];
  }
}

const projections = [
  ["ClusterTrustBundleProjection", "clusterTrustBundle"],
  ["PodCertificateRequest", "podCertificate"],
] as const;

const sourcesOf = (spec: PodSpec | undefined) =>
  (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
const usesStopSignal = (spec: PodSpec | undefined) =>
  spec !== undefined && allContainers(spec).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined);

const allContainers = (spec: PodSpec) => [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
const usesProcMount = (spec: PodSpec | undefined) =>
  spec !== undefined && allContainers(spec).some((c) => !["Default", undefined].includes(c.securityContext?.procMount));
const usesProbeGrace = (spec: PodSpec | undefined) =>
  spec !== undefined &&
  allContainers(spec).some((c) =>
    [c.livenessProbe, c.startupProbe].some((p) => p?.terminationGracePeriodSeconds !== undefined),
  );
const usesNamespaceSelector = (spec: PodSpec | undefined) =>
  affinityTerms(spec).some((term) => term.namespaceSelector !== undefined);

function affinityTerms(spec: PodSpec | undefined) {
  if (spec?.affinity === undefined) return [];
  return [spec.affinity.podAffinity, spec.affinity.podAntiAffinity].flatMap((side) => [
    ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
