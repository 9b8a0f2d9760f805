/** What the authors of pods and templates are told about their objects. */

import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { ipWarnings, takesOddForms } from "../../../address-forms.ts";
import { podNameWarnings } from "../../../name-warnings.ts";
import { fractionWarnings, labelWarning, removedSourceWarnings, termWarnings } from "../volume/warnings.ts";
import { apparmorPrefix } from "./app-armor.ts";
import type { Container } from "./container.ts";
import type { PodSpec, PodTemplateSpec } from "./spec.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
}

export function podWarnings({ metadata, spec }: PodLike, old: PodLike | undefined, environment: Environment): string[] {
  if (!environment.since("1.22") || (old !== undefined && old.metadata.generation === metadata.generation)) return [];
  return [
    ...(old === undefined && environment.since("1.27") ? podNameWarnings(metadata) : []),
    ...partWarnings({ metadata, ...(spec ? { spec } : {}) }, "", environment),
  ];
}

/** `path` is where the template is. */
export const templateWarnings = (
  template: PodTemplateSpec | undefined,
  path: string,
  environment: Environment,
): string[] => (template === undefined ? [] : partWarnings(template, `${path}.`, environment));

/** Annotations that have no effect any more, in orch's names, and the fields that replaced them. */
const oldAnnotations = [
  ["scheduler.alpha.orch.io/critical-pod", "priorityClassName"],
  ["security.alpha.orch.io/sysctls", "sysctls"],
  ["security.alpha.orch.io/unsafe-sysctls", "sysctls"],
  ["seccomp.security.alpha.orch.io/pod", "seccompProfile"],
] as const;

function partWarnings({ metadata, spec }: PodTemplateSpec, path: string, environment: Environment): string[] {
  if (spec === undefined) return [];
  const at = `${path}spec`;
  return [
    ...annotationWarnings(metadata?.annotations ?? {}, `${path}metadata.annotations`, environment),
    ...labelKeyWarnings(spec, at, environment),
    ...(takesOddForms(environment) ? oddAddressWarnings(spec, at) : []),
    ...(spec.volumes ?? []).flatMap((volume, index) => [
      ...removedSourceWarnings(volume, `${at}.volumes[${index}]`),
      ...(volume.gitRepo
        ? [`${at}.volumes[${index}].gitRepo: deprecated; clone the repository in an init container`]
        : []),
    ]),
    ...(spec.imagePullSecrets ?? []).flatMap(({ name }, index) =>
      name ? [] : [`${at}.imagePullSecrets[${index}].name: must not be empty`],
    ),
    ...repeatWarnings(
      (spec.imagePullSecrets ?? []).map(({ name = "" }) => name),
      `${at}.imagePullSecrets`,
    ),
    ...repeatWarnings(
      (spec.hostAliases ?? []).map(({ ip = "" }) => ip),
      `${at}.hostAliases`,
    ),
    ...(["containers", "initContainers"] as const).flatMap((kind) =>
      (spec[kind] ?? []).flatMap((container, index) => containerWarnings(container, `${at}.${kind}[${index}]`)),
    ),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${at}.terminationGracePeriodSeconds: must not be negative`]
      : []),
  ];
}

function annotationWarnings(
  annotations: Readonly<Record<string, string>>,
  path: string,
  environment: Environment,
): string[] {
  const { vocabulary, since } = environment;
  const seccomp = vocabulary.word("container.seccomp.security.alpha.orch.io/");
  const apparmor = apparmorPrefix(environment);
  const known = new Map<string, string>(oldAnnotations.map(([neutral, field]) => [vocabulary.word(neutral), field]));
  return Object.keys(annotations).flatMap((key) => {
    const field = known.get(key) ?? (key.startsWith(seccomp) ? "seccompProfile" : undefined);
    if (field !== undefined) return [`${path}[${key}]: has no effect; the field ${field} has replaced it`];
    return key.startsWith(apparmor) && since("1.30")
      ? [`${path}[${key}]: the field appArmorProfile has replaced it`]
      : [];
  });
}

function labelKeyWarnings(spec: PodSpec, at: string, environment: Environment): string[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: needed, preferredDuringSchedulingIgnoredDuringExecution } =
    spec.affinity?.nodeAffinity ?? {};
  const path = `${at}.affinity.nodeAffinity`;
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) =>
      labelWarning(key, `${at}.nodeSelector[${key}]`, environment),
    ),
    ...(needed?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      termWarnings(
        term,
        `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
        environment,
      ),
    ),
    ...(preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, index) =>
      termWarnings(
        preference,
        `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        environment,
      ),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey }, index) =>
      labelWarning(topologyKey, `${at}.topologySpreadConstraints[${index}].topologyKey`, environment),
    ),
  ];
}

const oddAddressWarnings = (spec: PodSpec, at: string): string[] => [
  ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) =>
    ipWarnings(ip, `${at}.dnsConfig.nameservers[${index}]`),
  ),
  ...(spec.hostAliases ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `${at}.hostAliases[${index}].ip`)),
];

function containerWarnings({ env = [], ports = [], resources }: Container, at: string): string[] {
  const seen = new Set<string>();
  const variables = env.flatMap(({ name, value, valueFrom }, index) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    // A variable may be made of its earlier value.
    const usesItself = valueFrom === undefined && value?.includes(`$(${name})`);
    return isRepeated && !usesItself
      ? [`${at}.env[${index}]: hides an earlier variable ${name}, which an apply may drop`]
      : [];
  });
  const identities = ports.map(({ containerPort, hostPort, hostIP, protocol }) =>
    [containerPort, hostPort, hostIP, protocol].join("/"),
  );
  return [
    ...variables,
    ...repeatWarnings(identities, `${at}.ports`),
    ...fractionWarnings(resources?.limits, `${at}.resources.limits`, ["memory", "ephemeral-storage"]),
    ...fractionWarnings(resources?.requests, `${at}.resources.requests`, ["memory", "ephemeral-storage"]),
  ];
}

function repeatWarnings(identities: readonly string[], path: string): string[] {
  const first = new Map<string, number>();
  return identities.flatMap((identity, index) => {
    const before = first.get(identity);
    if (before === undefined) first.set(identity, index);
    return before === undefined || identity === "" ? [] : [`${path}[${index}]: repeats ${path}[${before}]`];
  });
}
