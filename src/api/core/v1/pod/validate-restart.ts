/** Relations between the restart policies of a pod and of its containers. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import {
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
} from "../../../../machinery/status/field-error.ts";
import { Container } from "./container.ts";
import { PodSpec } from "./spec.ts";

export const restartRelations: readonly Relation[] = [
  on(
    Container,
    ({ restartPolicy, restartPolicyRules }) =>
      restartPolicyRules?.length && restartPolicy === undefined
        ? [required("restartPolicy", "must be specified together with restartPolicyRules")]
        : noErrors,
    { since: "1.34" },
  ),
  on(PodSpec, validateSidecars, { since: "1.28" }),
  on(PodSpec, validateResizes, { since: "1.27" }),
  on(PodSpec, validateSleeps, { since: "1.29" }),
];

const kinds = ["containers", "initContainers"] as const;

/** A container that always runs beside the others has no use for rules. */
function validateSidecars({ initContainers }: PodSpec): FieldErrors {
  return ofEach(initContainers, ({ restartPolicy, restartPolicyRules, resizePolicy }, index) => {
    const at = `initContainers[${index}]`;
    if (restartPolicy === "Always") {
      return restartPolicyRules?.length
        ? [forbidden(`${at}.restartPolicyRules`, "may not be set together with restartPolicy Always")]
        : noErrors;
    }
    return resizePolicy?.length
      ? [forbidden(`${at}.resizePolicy`, "may not be set for init containers without restartPolicy Always")]
      : noErrors;
  });
}

/** Where nothing is restarted, no change of resources can need it. */
function validateResizes(spec: PodSpec): FieldErrors {
  if (spec.restartPolicy !== "Never") return noErrors;
  return ofEach(kinds, (kind) =>
    ofEach(spec[kind], ({ resizePolicy }, index) =>
      ofEach(resizePolicy, ({ restartPolicy }) =>
        restartPolicy === "NotRequired"
          ? noErrors
          : [
              invalid(
                `${kind}[${index}].resizePolicy`,
                restartPolicy,
                "must be 'NotRequired' when `restartPolicy` is 'Never'",
              ),
            ],
      ),
    ),
  );
}

/** A hook that sleeps longer than the grace period would be cut off. */
function validateSleeps(spec: PodSpec): FieldErrors {
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  return ofEach(kinds, (kind) =>
    ofEach(spec[kind], ({ lifecycle }, index) =>
      ofEach(["postStart", "preStop"] as const, (hook) => {
        const seconds = lifecycle?.[hook]?.sleep?.seconds;
        if (seconds === undefined || (seconds >= 0 && seconds <= grace)) return noErrors;
        const problem = `must not be negative nor greater than terminationGracePeriodSeconds (${grace})`;
        return [invalid(`${kind}[${index}].lifecycle.${hook}.sleep`, seconds, problem)];
      }),
    ),
  );
}
