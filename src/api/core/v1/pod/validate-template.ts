/** Checks of templates from which controllers create pods. */

import { validateAnnotations, validateLabels } from "../../../../machinery/meta/metadata.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { FieldError } from "../../../../machinery/status/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { validatePodAnnotations } from "./annotations.ts";
import { validateAppArmorMatch } from "./app-armor.ts";
import { validateSeccompMatch } from "./seccomp.ts";
import type { PodTemplateSpec } from "./spec.ts";
import { noSpec } from "./validate.ts";
import { validatePodSpec } from "./validate-spec.ts";

export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: string,
  environment: Environment,
): FieldError[] {
  const spec = template.spec ?? noSpec;
  return [
    ...validateTemplateMetadata(template, path, environment),
    ...validatePodSpec(spec, `${path}.spec`, environment),
    ...validateSeccompMatch(template.metadata?.annotations, spec, `${path}.spec`, environment),
    ...validateAppArmorMatch(template.metadata?.annotations, spec, `${path}.spec`, environment),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}

/** v1.21 reports labels and annotations without the metadata they are in. */
export function validateTemplateMetadata(
  { metadata, spec = noSpec }: PodTemplateSpec,
  path: string,
  environment: Environment,
): FieldError[] {
  return [
    ...validateLabels(metadata?.labels, `${path}.labels`),
    ...validateAnnotations(metadata?.annotations, `${path}.annotations`),
    ...validatePodAnnotations(metadata?.annotations, spec, `${path}.annotations`, environment),
  ];
}

/** A template whose pods the selector matches and that keep running. `selects` undefined: unknown. */
export function validateSelectedTemplate(
  template: PodTemplateSpec | undefined,
  selects: ((labels: ReadonlyMap<string, string>) => boolean) | undefined,
  replicas: number,
  path: string,
  environment: Environment,
): FieldError[] {
  if (template === undefined) return [required(path)];
  return [
    ...validateSelected(template, selects, path),
    ...validatePodTemplateSpec(template, path, environment),
    ...(replicas > 1 ? validateShareableVolumes(template, `${path}.spec.volumes`, environment) : []),
    ...validateRunsForever(template, `${path}.spec`),
  ];
}

/** With a selector that does not match the template, the controller would create pods forever. */
export function validateSelected(
  { metadata }: PodTemplateSpec,
  selects: ((labels: ReadonlyMap<string, string>) => boolean) | undefined,
  path: string,
): FieldError[] {
  const labels = metadata?.labels ?? {};
  return selects === undefined || selects(new Map(Object.entries(labels)))
    ? []
    : [invalid(`${path}.metadata.labels`, labels, "`selector` does not match template `labels`")];
}

export function validateRunsForever({ spec }: PodTemplateSpec, path: string): FieldError[] {
  const policy = spec?.restartPolicy ?? "";
  return [
    ...(policy === "Always" ? [] : [notSupported(`${path}.restartPolicy`, policy, ["Always"])]),
    ...(spec?.activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${path}.activeDeadlineSeconds`, "must not be specified")]),
  ];
}

/** A disk that one node writes cannot be on several. Of one vendor alone this was checked, and then of none. */
export function validateShareableVolumes(
  template: PodTemplateSpec,
  path: string,
  environment: Environment,
): FieldError[] {
  if (!has(environment, "sharedDisks")) return [];
  return (template.spec?.volumes ?? []).flatMap((volume, index) =>
    volume.gcePersistentDisk && volume.gcePersistentDisk.readOnly !== true
      ? [
          invalid(
            `${path}[${index}].gcePersistentDisk.readOnly`,
            false,
            "must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only",
          ),
        ]
      : [],
  );
}
