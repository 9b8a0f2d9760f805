/** What the authors of pods and templates are told about their objects. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { ipWarnings, warnsOfOddForms } from "../../../address-forms.ts";
import { has } from "../../../features.ts";
import { podNameWarnings } from "../../../name-warnings.ts";
import type { Volume } from "../volume/volume.ts";
import {
  claimSpecWarnings,
  fractionWarnings,
  labelWarning,
  removedSourceWarnings,
  termWarnings,
} from "../volume/warnings.ts";
import { apparmorPrefix, isFromAnnotation } from "./app-armor.ts";
import type { Container } from "./container.ts";
import { containerWarnings, portWarnings } from "./container-warnings.ts";
import { overlapWarnings } from "./overlapping-paths.ts";
import type { Affinity } from "./scheduling.ts";
import type { PodSpec, PodTemplateSpec } from "./spec.ts";
import type { PodStatus } from "./status.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
}

/** Only for new pods: it is mostly controllers that update pods, and no person would see the warnings. */
export function podWarnings({ metadata, spec }: PodLike, old: PodLike | undefined, environment: Environment): string[] {
  if (!has(environment, "podWarnings") || old !== undefined) return [];
  return [
    ...(has(environment, "podNameWarnings") ? podNameWarnings(metadata, "the Pod's hostname") : []),
    ...partWarnings({ metadata, ...(spec ? { spec } : {}) }, "", environment),
  ];
}

/** About the addresses of a pod and of its node. */
export const podStatusWarnings = ({ status }: { readonly status?: PodStatus }, environment: Environment): string[] =>
  warnsOfOddForms(environment)
    ? (["podIPs", "hostIPs"] as const).flatMap((list) =>
        (status?.[list] ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `status.${list}[${index}].ip`)),
      )
    : [];

/** `path` is where the template is. */
export const templateWarnings = (
  template: PodTemplateSpec | undefined,
  path: string,
  environment: Environment,
): string[] =>
  template === undefined || !has(environment, "podWarnings") ? [] : partWarnings(template, `${path}.`, environment);

interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly template?: PodTemplateSpec };
}

/** About the name of a new workload, after which its pods are named, and about a template that is new or may have changed. */
export const workloadWarnings = (
  { metadata, spec }: Workload,
  old: Workload | undefined,
  environment: Environment,
): string[] => [
  ...(old === undefined && has(environment, "podNameWarnings") ? podNameWarnings(metadata) : []),
  ...(old?.metadata.generation === metadata.generation && old !== undefined
    ? []
    : templateWarnings(spec?.template, "spec.template", environment)),
];

/** Annotations that have no effect any more, in orch's names, since when, and the fields that replaced them. */
const oldAnnotations = [
  ["scheduler.alpha.orch.io/critical-pod", "1.16", "priorityClassName"],
  ["security.alpha.orch.io/sysctls", "1.11", "sysctls"],
  ["security.alpha.orch.io/unsafe-sysctls", "1.11", "sysctls"],
] as const;
const seccompRelease = "1.27";
const appArmorText = 'deprecated since v1.30; use the "appArmorProfile" field instead';

function partWarnings({ metadata, spec }: PodTemplateSpec, path: string, environment: Environment): string[] {
  if (spec === undefined) return [];
  const at = `${path}spec`;
  const { imagePullSecrets = [], hostAliases = [], terminationGracePeriodSeconds = 0, overhead } = spec;
  return [
    ...labelKeyWarnings(spec, at, environment),
    ...annotationWarnings(metadata?.annotations ?? {}, spec, `${path}metadata.annotations`, environment),
    ...(spec.volumes ?? []).flatMap((volume, index) => volumeWarnings(volume, `${at}.volumes[${index}]`, environment)),
    ...repeatWarnings(
      hostAliases.map(({ ip = "" }) => ip),
      (index, ip) => `${at}.hostAliases[${index}].ip: duplicate ip "${ip}"`,
    ),
    ...imagePullSecrets.flatMap(({ name }, index) =>
      name ? [] : [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`],
    ),
    ...repeatWarnings(
      imagePullSecrets.map(({ name = "" }) => name),
      (index, name) => `${at}.imagePullSecrets[${index}].name: duplicate name "${name}"`,
    ),
    ...fractionWarnings(overhead, `${at}.overhead`, ["memory", "ephemeral-storage"]),
    ...containersOf(spec).flatMap(([container, name]) => containerWarnings(container, `${at}.${name}`, environment)),
    ...portWarnings(containersOf(spec), at),
    ...(terminationGracePeriodSeconds < 0 && has(environment, "leastPodGrace")
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...(warnsOfOddForms(environment) ? oddAddressWarnings(spec, at) : []),
  ];
}

/** With the path of each, in the order in which they are reported. */
const containersOf = (spec: PodSpec): (readonly [Container, string])[] =>
  (["initContainers", "containers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => [container, `${list}[${index}]`] as const),
  );

function volumeWarnings(volume: Volume, path: string, environment: Environment): string[] {
  const template = volume.ephemeral?.volumeClaimTemplate;
  return [
    ...removedSourceWarnings(volume, path, environment),
    ...(volume.gitRepo
      ? [
          `${path}.gitRepo: deprecated in v1.11${has(environment, "closedRepositories") ? ", and disabled by default in v1.33+" : ""}`,
        ]
      : []),
    ...(template ? claimSpecWarnings(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`) : []),
    ...(has(environment, "overlapWarnings") ? overlapWarnings(volume, path) : []),
  ];
}

/** Profiles in annotations are only worth a word where the field that replaced them is not set as well. */
function annotationWarnings(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  path: string,
  environment: Environment,
): string[] {
  if (Object.keys(annotations).length === 0) return [];
  const { vocabulary, since } = environment;
  const isTemplate = path !== "metadata.annotations";
  const told = (key: string, text: string) => (annotations[key] === undefined ? [] : [`${path}[${key}]: ${text}`]);
  const noEffect = (release: string, field: string) =>
    `non-functional in v${release}+; use the "${field}" field instead`;
  const noSeccomp = noEffect(seccompRelease, "seccompProfile");
  const seccomp = "seccomp.security.alpha.orch.io/pod";
  // The annotation of a pod, unlike that of a template, sets the field, and is reported first.
  const [ofAppArmor, ofSeccomp] = [
    apparmorPrefix(environment),
    vocabulary.word("container.seccomp.security.alpha.orch.io/"),
  ];
  const containers = containersOf(spec);
  const appArmor = containers.map(([{ name, securityContext }]) => {
    const hasField = isTemplate
      ? (securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile) !== undefined
      : !isFromAnnotation(securityContext);
    return hasField || !since("1.30") ? [] : told(`${ofAppArmor}${name}`, appArmorText);
  });
  return [
    ...(isTemplate ? [] : appArmor.flat()),
    ...oldAnnotations.flatMap(([neutral, release, field]) => told(vocabulary.word(neutral), noEffect(release, field))),
    ...(spec.securityContext?.seccompProfile ? [] : told(vocabulary.word(seccomp), noSeccomp)),
    ...containers.flatMap(([{ name, securityContext }], index) => [
      ...(securityContext?.seccompProfile ? [] : told(`${ofSeccomp}${name}`, noSeccomp)),
      ...(isTemplate ? (appArmor[index] ?? []) : []),
    ]),
  ];
}

function labelKeyWarnings(spec: PodSpec, at: string, environment: Environment): string[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const path = `${at}.affinity.nodeAffinity`;
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) =>
      labelWarning(key, `${at}.nodeSelector[${key}]`, environment),
    ),
    ...(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      termWarnings(
        term,
        `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
        environment,
      ),
    ),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, index) =>
      termWarnings(
        preference,
        `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        environment,
      ),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => [
      ...labelWarning(topologyKey, `${at}.topologySpreadConstraints[${index}].topologyKey`, environment),
      ...noSelectorWarning(labelSelector, `${at}.topologySpreadConstraints[${index}]`),
    ]),
    ...affinityWarnings(podAffinity, `${at}.affinity.podAffinity`),
    ...affinityWarnings(podAntiAffinity, `${at}.affinity.podAntiAffinity`),
  ];
}

const affinityWarnings = (affinity: Affinity["podAffinity"], path: string): string[] => [
  ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ labelSelector }, index) =>
    noSelectorWarning(labelSelector, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
  ),
  ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }, index) =>
    noSelectorWarning(
      podAffinityTerm.labelSelector,
      `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm`,
    ),
  ),
];

const noSelectorWarning = (selector: object | undefined, path: string): string[] =>
  selector === undefined ? [`${path}.labelSelector: without a selector no pod matches`] : [];

const oddAddressWarnings = (spec: PodSpec, at: string): string[] => [
  ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) =>
    ipWarnings(ip, `${at}.dnsConfig.nameservers[${index}]`),
  ),
  ...(spec.hostAliases ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `${at}.hostAliases[${index}].ip`)),
];

/** `text` is about an item after an equal one. */
function repeatWarnings(identities: readonly string[], text: (index: number, identity: string) => string): string[] {
  const seen = new Set<string>();
  return identities.flatMap((identity, index) => {
    const isRepeated = seen.has(identity);
    seen.add(identity);
    return isRepeated ? [text(index, identity)] : [];
  });
}
