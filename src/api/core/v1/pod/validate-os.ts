/** What a pod may not have because of its operating system, and the processes of Windows nodes. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
} from "../../../../machinery/status/field-error.ts";
import { ofContainerOnLinux, ofHostOnLinux, ofPodOnLinux } from "./linux-fields.ts";
import { privilegedRefusal, type SecurityContext } from "./security-context.ts";
import { PodSpec } from "./spec.ts";

export const osRelations: readonly Relation[] = [
  on(PodSpec, validateOs, { since: "1.23" }),
  on(PodSpec, validateHostProcess, { since: "1.22" }),
];

function validateOs(spec: PodSpec): FieldErrors {
  const system = spec.os?.name;
  if (system !== "linux" && system !== "windows") return noErrors;
  const errors: FieldError[] = [];
  const refuse = (at: string, field: string) => {
    errors.push(forbidden(`${at}${field}`, `may not be set when the operating system is ${system}`));
  };
  const { securityContext: context } = spec;
  if (system === "linux") {
    if (context?.windowsOptions) refuse("securityContext.", "windowsOptions");
  } else {
    for (const field of ofHostOnLinux) {
      const isSet =
        field === "hostUsers" || field === "shareProcessNamespace" ? spec[field] !== undefined : spec[field];
      if (isSet) refuse("", field);
    }
    for (const field of ofPodOnLinux) if (context?.[field] !== undefined) refuse("securityContext.", field);
    if (spec.resources) refuse("", "resources");
  }
  for (const { at, securityContext } of containersOf(spec)) {
    const fields = system === "linux" ? (["windowsOptions"] as const) : ofContainerOnLinux;
    for (const field of fields) if (securityContext?.[field] !== undefined) refuse(`${at}.securityContext.`, field);
  }
  return errors;
}

/** A pod whose containers are processes of the node: all of them are, and share its network. */
function validateHostProcess(spec: PodSpec, { allowPrivileged }: Environment): FieldErrors {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const errors: FieldError[] = [];
  let [hosted, all] = [0, 0];
  for (const { at, securityContext } of containersOf(spec)) {
    const own = securityContext?.windowsOptions?.hostProcess;
    if (own !== undefined && ofPod !== undefined && own !== ofPod) {
      const problem = "must be the same as for the pod if both are specified";
      errors.push(invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, problem));
    }
    all++;
    if (own ?? ofPod) hosted++;
  }
  if (hosted === 0) return errors;
  if (hosted < all) errors.push(invalid("", "", "if one container is a host process, all of them must be"));
  if (!spec.hostNetwork) errors.push(invalid("hostNetwork", false, "must be true for host processes"));
  if (!allowPrivileged) errors.push(forbidden("", `host processes are ${privilegedRefusal}`));
  return errors;
}

interface Placed {
  readonly at: string;
  readonly securityContext?: SecurityContext | undefined;
}

function* containersOf(spec: PodSpec): Generator<Placed> {
  for (const kind of ["initContainers", "containers", "ephemeralContainers"] as const) {
    for (const [index, { securityContext }] of (spec[kind] ?? []).entries()) {
      yield { at: `${kind}[${index}]`, securityContext };
    }
  }
}
