/** Checks of templates from which controllers make pods. */

import { validateAnnotations, validateLabels } from "../../../machinery/meta/metadata.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import type { PodTemplateSpec } from "./pod-spec.ts";
import { validatePodAnnotations } from "./validate-pod.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: string,
  environment: Environment,
): FieldError[] {
  const metadata = template.metadata ?? {};
  const pod = { metadata, spec: template.spec ?? { containers: [] } };
  return [
    ...validateLabels(metadata.labels, `${path}.labels`),
    ...validateAnnotations(metadata.annotations, `${path}.annotations`),
    ...validatePodAnnotations(pod, environment).map((e) =>
      e.field.startsWith("metadata.")
        ? { ...e, field: `${path}.${e.field.slice("metadata.".length)}` }
        : { ...e, field: `${path}.${e.field}` },
    ),
    ...validatePodSpec(pod.spec, `${path}.spec`, environment),
    ...((pod.spec.ephemeralContainers ?? []).length > 0
      ? [
          {
            reason: "FieldValueForbidden" as const,
            field: `${path}.spec.ephemeralContainers`,
            message: "Forbidden: ephemeral containers not allowed in pod template",
          },
        ]
      : []),
  ];
}

/** A template whose pods the selector would not find makes pods for ever. */
export function validateSelectedTemplate(
  template: PodTemplateSpec | undefined,
  selects: ((labels: ReadonlyMap<string, string>) => boolean) | undefined,
  replicas: number,
  path: string,
  environment: Environment,
): FieldError[] {
  if (template === undefined) return [required(path)];
  const errors: FieldError[] = [];
  const labels = template.metadata?.labels ?? {};
  if (selects && !selects(new Map(Object.entries(labels)))) {
    errors.push(invalid(`${path}.metadata.labels`, labels, "`selector` does not match template `labels`"));
  }
  errors.push(...validatePodTemplateSpec(template, path, environment));
  if (replicas > 1) errors.push(...validateShareableVolumes(template, `${path}.spec.volumes`));
  return [...errors, ...validateRestartPolicy(template, ["Always"], `${path}.spec`)];
}

export function validateRestartPolicy(
  template: PodTemplateSpec,
  allowed: readonly string[],
  path: string,
): FieldError[] {
  const policy = template.spec?.restartPolicy ?? "";
  return allowed.includes(policy) ? [] : [notSupported(`${path}.restartPolicy`, policy, allowed)];
}

/** A disk that one node writes cannot be on several. */
function validateShareableVolumes(template: PodTemplateSpec, path: string): FieldError[] {
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
