/** Relations between the restart policies of a pod and of its containers. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { need } from "../../../../machinery/schema/relations.ts";
import {
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { Container } from "./container.ts";
import { eachContainer, startedKinds } from "./each-container.ts";
import { PodSpec } from "./spec.ts";

export const restartRelations: readonly Relation[] = [
  need(
    Container,
    "restartPolicy",
    "must be specified together with restartPolicyRules",
    ({ restartPolicyRules }) => Boolean(restartPolicyRules?.length),
    { since: "1.34" },
  ),
  on(PodSpec, validateOldPolicies, { since: "1.28", until: "1.34" }),
  on(PodSpec, validateSidecars, { since: "1.28" }),
  on(PodSpec, validateResizes, { since: "1.27" }),
  on(PodSpec, validateSleeps, { since: "1.29" }),
];

/** Before the rules only init containers had a policy, to run beside the others. */
function validateOldPolicies(spec: PodSpec): FieldErrors {
  return together(
    eachContainer(spec, ["containers"], ({ restartPolicy }, at) =>
      restartPolicy === undefined
        ? noErrors
        : [forbidden(`${at}.restartPolicy`, "may not be set for such a container")],
    ),
    eachContainer(spec, ["initContainers"], ({ restartPolicy }, at) =>
      restartPolicy === undefined || restartPolicy === "Always"
        ? noErrors
        : [notSupported(`${at}.restartPolicy`, restartPolicy, ["Always"])],
    ),
  );
}

/** A container that always runs beside the others has no use for rules. */
function validateSidecars(spec: PodSpec, environment: Environment): FieldErrors {
  const takesRules = has(environment, "rulesOfSidecars");
  return eachContainer(spec, ["initContainers"], ({ restartPolicy, restartPolicyRules, resizePolicy }, at) => {
    const [field, given, text] =
      restartPolicy === "Always"
        ? ["restartPolicyRules", restartPolicyRules, "may not be set together with restartPolicy Always"]
        : ["resizePolicy", resizePolicy, "may not be set for init containers without restartPolicy Always"];
    if (field === "restartPolicyRules" && takesRules) return noErrors;
    return given?.length ? [forbidden(`${at}.${field}`, text)] : noErrors;
  });
}

/** Where nothing is restarted, no change of resources can need it. */
function validateResizes(spec: PodSpec): FieldErrors {
  if (spec.restartPolicy !== "Never") return noErrors;
  const text = "must be 'NotRequired' when `restartPolicy` is 'Never'";
  return eachContainer(spec, startedKinds, ({ resizePolicy }, at) =>
    ofEach(resizePolicy, ({ restartPolicy }) =>
      restartPolicy === "NotRequired" ? noErrors : [invalid(`${at}.resizePolicy`, restartPolicy, text)],
    ),
  );
}

/** A hook that sleeps longer than the grace period would be cut off. */
function validateSleeps(spec: PodSpec): FieldErrors {
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const text = `must not be negative nor greater than terminationGracePeriodSeconds (${grace})`;
  return eachContainer(spec, startedKinds, ({ lifecycle }, at) =>
    ofEach(["postStart", "preStop"] as const, (hook) => {
      const { sleep, ...others } = lifecycle?.[hook] ?? {};
      const seconds = sleep?.seconds;
      // Beside another action it is refused as such.
      if (Object.values(others).some((other) => other !== undefined)) return noErrors;
      if (seconds === undefined || (seconds >= 0 && seconds <= grace)) return noErrors;
      return [invalid(`${at}.lifecycle.${hook}.sleep`, seconds, text)];
    }),
  );
}
