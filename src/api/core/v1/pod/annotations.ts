/** Checks of the annotations of a pod, or of a template. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import { forbidden, invalid, noErrors, ofEach, together } from "../../../../machinery/status/field-error.ts";
import { parseAnnotatedList } from "../annotated-list.ts";
import { apparmorPrefix } from "./app-armor.ts";
import { validateSeccompAnnotations } from "./seccomp.ts";
import type { PodSpec } from "./spec.ts";
import { checkToleration } from "./validate-scheduling.ts";

type Annotations = Readonly<Record<string, string>>;

export const mirrorKey = ({ vocabulary }: Environment) => vocabulary.word("orch.io/config.mirror");

/** `path` is where the annotations are; `before`: those of the stored pod, if there is one. */
export function validatePodAnnotations(
  annotations: ObjectMeta["annotations"],
  spec: PodSpec,
  path: string,
  environment: Environment,
  before?: Annotations,
): FieldErrors {
  if (!annotations) return noErrors;
  const mirror = mirrorKey(environment);
  const mirrored = annotations[mirror];
  return together(
    mirrored !== undefined && !spec.nodeName
      ? [invalid(`${path}[${mirror}]`, mirrored, "must set spec.nodeName if mirror pod annotation is set")]
      : noErrors,
    validateAnnotatedTolerations(annotations, path, environment),
    validateDeletionCost(annotations, path, environment, before),
    validateSeccompAnnotations(annotations, path, environment),
    validateApparmor(annotations, spec, path, environment),
  );
}

/** The mirror annotation and the profiles of a pod cannot change. */
export function validateAnnotationsKept(now: Annotations, before: Annotations, environment: Environment): FieldError[] {
  const mirror = mirrorKey(environment);
  const prefix = apparmorPrefix(environment);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((key) => (key === mirror || key.startsWith(prefix)) && now[key] !== before[key])
    .map((key) => forbidden(`metadata.annotations[${key}]`, "may not be added, removed or changed"));
}

function validateAnnotatedTolerations(annotations: Annotations, path: string, environment: Environment): FieldErrors {
  const key = environment.vocabulary.word("scheduler.alpha.orch.io/tolerations");
  const text = annotations[key];
  if (!text) return noErrors;
  const tolerations = parseAnnotatedList(text, {
    texts: ["key", "operator", "value", "effect"],
    numbers: ["tolerationSeconds"],
  });
  if (tolerations === undefined) return [invalid(path, key, "must be JSON of a list of tolerations")];
  return ofEach(tolerations, (one, index) => checkToleration(one, `${path}.${key}[${index}]`, environment));
}

const costMax = 2 ** 31 - 1;

/**
 * The deletion cost of the pod: a number of 32 bits in canonical form, whether or not the gate PodDeletionCost is on, because
 * controllers always obey it. One that is stored may stay, so that its pod can still be written.
 */
function validateDeletionCost(
  annotations: Annotations,
  path: string,
  environment: Environment,
  before: Annotations = {},
): FieldErrors {
  const key = environment.vocabulary.word("controller.orch.io/pod-deletion-cost");
  const text = annotations[key];
  if (text === undefined || text === before[key]) return noErrors;
  const isNumber = /^(0|[1-9][0-9]{0,9}|-[0-9]{1,10})$/.test(text);
  const cost = Number(text);
  const fits = isNumber && cost <= costMax && cost >= -costMax - 1;
  return fits ? noErrors : [invalid(`${path}[${key}]`, text, "must be a 32bit integer")];
}

function validateApparmor(
  annotations: Annotations,
  spec: PodSpec,
  path: string,
  environment: Environment,
): FieldErrors {
  const prefix = apparmorPrefix(environment);
  const keys = Object.keys(annotations).filter((key) => key.startsWith(prefix));
  if (keys.length === 0) return noErrors;
  const names = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  return ofEach(keys, (key) => {
    const profile = annotations[key] as string; // one of its own keys
    const errors: FieldError[] = [];
    const container = key.slice(prefix.length);
    if (!names.has(container)) errors.push(invalid(`${path}[${key}]`, container, "container not found"));
    if (!["", "runtime/default", "unconfined"].includes(profile) && !profile.startsWith("localhost/")) {
      errors.push(invalid(`${path}[${key}]`, profile, "must be the name of an AppArmor profile"));
    }
    return errors;
  });
}
