/** Checks of changes to pods: of the spec only images, the deadline and tolerations, the last two in one direction. */

import { sameJson } from "../../../../machinery/json/json-value.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import {
  addTo,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { validateAnnotationsKept, validatePodAnnotations } from "./annotations.ts";
import type { Container } from "./container.ts";
import { withoutKeptPages } from "./kept-huge-pages.ts";
import { withMutableOf } from "./mutable-fields.ts";
import type { Toleration } from "./scheduling.ts";
import { validateGatesKept, validateNarrower } from "./scheduling-gates.ts";
import type { PodLike } from "./seccomp.ts";
import { deadlineSecondsMax, PodSpec } from "./spec.ts";
import { noSpec, validatePod } from "./validate.ts";

export function validatePodUpdate(pod: PodLike, old: PodLike, environment: Environment): FieldErrors {
  const [spec, before] = [pod.spec ?? noSpec, old.spec ?? noSpec];
  const { annotations } = pod.metadata;
  const stored = old.metadata.annotations ?? {};
  const kept = validateAnnotationsKept(annotations ?? {}, stored, environment);
  // Most updates change labels or annotations only, and the spec was validated when it was written.
  if (sameJson(spec, before))
    return together(validatePodAnnotations(annotations, spec, "metadata.annotations", environment, stored), kept);
  const errors = [...withoutKeptPages(validatePod(pod, environment), before), ...kept];
  for (const kind of ["containers", "initContainers"] as const) {
    if ((spec[kind] ?? []).length !== (before[kind] ?? []).length) {
      return [...errors, forbidden(`spec.${kind}`, "pod updates may not add or remove containers")];
    }
    addTo(errors, validateImages(spec[kind] ?? [], `spec.${kind}`));
  }
  const deadline = validateDeadline(spec.activeDeadlineSeconds, before.activeDeadlineSeconds);
  errors.push(...deadline.errors);
  if (deadline.isWrong) return errors;
  addTo(errors, validateTolerationsKept(spec, before));
  const wasGated = Boolean(before.schedulingGates?.length);
  if (spec.schedulingGates) addTo(errors, validateGatesKept(spec, before));
  if (wasGated) addTo(errors, validateNarrower(spec, before));
  if (!sameValue(withMutableOf(spec, before, wasGated), before, PodSpec)) {
    errors.push(
      forbidden(
        "spec",
        "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)",
      ),
    );
  }
  return errors;
}

const validateImages = (containers: readonly Container[], path: string): FieldErrors =>
  ofEach(containers, ({ image }, index) => (image ? noErrors : [required(`${path}[${index}].image`)]));

/** `isWrong`: v1.21 checks nothing else then. Removing the deadline is reported with the rest. */
function validateDeadline(
  now: number | undefined,
  before: number | undefined,
): { errors: FieldError[]; isWrong: boolean } {
  const path = "spec.activeDeadlineSeconds";
  const found = (value: unknown, problem: string) => [invalid(path, value, problem)];
  if (now === undefined) {
    const errors = before === undefined ? [] : found(null, "must not update from a positive integer to nil value");
    return { errors, isWrong: false };
  }
  if (now < 0 || now > deadlineSecondsMax) {
    return { errors: found(now, `must be between 0 and ${deadlineSecondsMax}, inclusive`), isWrong: true };
  }
  if (before !== undefined && before < now) {
    return { errors: found(now, "must be less than or equal to previous value"), isWrong: true };
  }
  return { errors: [], isWrong: false };
}

/** Tolerations may only be added; how long they last may change. */
function validateTolerationsKept(spec: PodSpec, before: PodSpec): FieldError[] {
  const withoutSeconds = ({ key, operator, value, effect }: Toleration) =>
    JSON.stringify([key ?? "", operator ?? "", value ?? "", effect ?? ""]);
  const now = new Set((spec.tolerations ?? []).map(withoutSeconds));
  return (before.tolerations ?? []).every((toleration) => now.has(withoutSeconds(toleration)))
    ? []
    : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}
