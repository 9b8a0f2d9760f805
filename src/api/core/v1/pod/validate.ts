/** Checks of whole pods. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { FieldErrors } from "../../../../machinery/status/field-error.ts";
import { forbidden, invalid, noErrors, ofEach, together } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { mirrorKey, validatePodAnnotations } from "./annotations.ts";
import { validateAppArmorMatch } from "./app-armor.ts";
import { eachContainer, startedKinds } from "./each-container.ts";
import { podReferences } from "./references.ts";
import { type PodLike, validateSeccompMatch } from "./seccomp.ts";
import type { PodSpec } from "./spec.ts";
import { validatePodSpec } from "./validate-spec.ts";

export const noSpec: PodSpec = { containers: [] };

/** What every pod must meet, new or changed. */
export function validatePod({ metadata, spec = noSpec }: PodLike, environment: Environment): FieldErrors {
  return together(
    validatePodAnnotations(metadata.annotations, spec, "metadata.annotations", environment),
    validatePodSpec(spec, "spec", environment, metadata.name),
    validateTokenSources(spec),
    validateImageSpaces(spec),
  );
}

export function validateNewPod(pod: PodLike, environment: Environment): FieldErrors {
  const spec = pod.spec ?? noSpec;
  return together(
    validatePod(pod, environment),
    spec.ephemeralContainers?.length ? [forbidden("spec.ephemeralContainers", "cannot be set on create")] : noErrors,
    validateSeccompMatch(pod.metadata.annotations, spec, "spec", environment),
    validateAppArmorMatch(pod.metadata.annotations, spec, "spec", environment),
    spec.schedulingGates?.length && spec.nodeName
      ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been removed")]
      : noErrors,
    has(environment, "checkedMirrors") ? validateMirror(pod, environment) : noErrors,
  );
}

/** A pod that a node made of a file mirrors it, and a file cannot depend on objects. The field is that of v1.35. */
function validateMirror({ metadata, spec }: PodLike, environment: Environment): FieldErrors {
  if (metadata.annotations?.[mirrorKey(environment)] === undefined) return noErrors;
  const refersTo = podReferences({ metadata, spec }).length > 0 || Boolean(spec?.resourceClaims?.length);
  return refersTo ? [forbidden("[]", "a mirror pod may not refer to other objects")] : noErrors;
}

/** A token is one of an account. */
function validateTokenSources({ serviceAccountName, volumes }: PodSpec): FieldErrors {
  if (serviceAccountName) return noErrors;
  const text = "must not be specified when serviceAccountName is not set";
  return ofEach(volumes, ({ projected }, at) =>
    ofEach(projected?.sources, ({ serviceAccountToken }, source) =>
      serviceAccountToken
        ? [forbidden(`spec.volumes[${at}].projected.sources[${source}].serviceAccountToken`, text)]
        : noErrors,
    ),
  );
}

/** Templates may contain such images: they may be replaced before a pod is created. */
const validateImageSpaces = (spec: PodSpec): FieldErrors =>
  eachContainer(spec, startedKinds, ({ image = "" }, at) =>
    image === image.trim()
      ? noErrors
      : [invalid(`spec.${at}.image`, image, "must not have leading or trailing whitespace")],
  );
