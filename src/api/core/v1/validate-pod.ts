/** Checks of whole pods. */

import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid } from "../../../machinery/status/field-error.ts";
import { validateSeccompMatch } from "./pod-seccomp.ts";
import type { PodSpec } from "./pod-spec.ts";
import { validatePodAnnotations } from "./validate-pod-annotations.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

export interface PodLike {
  metadata: ObjectMeta;
  spec?: PodSpec;
}

export const noSpec: PodSpec = { containers: [] };

/** What every pod must meet, new or changed. */
export function validatePod({ metadata, spec = noSpec }: PodLike, environment: Environment): FieldError[] {
  return [
    ...validatePodAnnotations(metadata.annotations, spec, "metadata.annotations", environment),
    ...validatePodSpec(spec, "spec", environment, metadata.name),
    ...validateTokenSources(spec),
    ...validateImageSpaces(spec),
  ];
}

export function validateNewPod(pod: PodLike, environment: Environment): FieldError[] {
  const spec = pod.spec ?? noSpec;
  return [
    ...validatePod(pod, environment),
    ...(spec.ephemeralContainers?.length ? [forbidden("spec.ephemeralContainers", "cannot be set on create")] : []),
    ...validateSeccompMatch(pod.metadata.annotations, spec, "spec", environment),
  ];
}

/** A token is one of an account. */
function validateTokenSources({ serviceAccountName, volumes }: PodSpec): FieldError[] {
  if (serviceAccountName) return [];
  return (volumes ?? []).flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, source) =>
      serviceAccountToken
        ? [
            forbidden(
              `spec.volumes[${index}].projected.sources[${source}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          ]
        : [],
    ),
  );
}

/** Templates may carry such images: somebody may replace them before there is a pod. */
function validateImageSpaces(spec: PodSpec): FieldError[] {
  return (["containers", "initContainers"] as const).flatMap((kind) =>
    (spec[kind] ?? []).flatMap(({ image = "" }, index) =>
      image === image.trim()
        ? []
        : [invalid(`spec.${kind}[${index}].image`, image, "must not have leading or trailing whitespace")],
    ),
  );
}
