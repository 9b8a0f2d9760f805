/** What a pod with a user namespace of its own may not have, and what needs one. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  ofEach,
} from "../../../../machinery/status/field-error.ts";
import { PodSpec } from "./spec.ts";

export const userNamespaceRelations: readonly Relation[] = [
  on(PodSpec, (spec, environment) => (spec.hostUsers === false ? validateOwn(spec, environment) : validateHost(spec)), {
    since: "1.25",
  }),
];

const kinds = ["containers", "initContainers", "ephemeralContainers"] as const;

/** Names are those of v1.35. */
function validateOwn(spec: PodSpec, { gates }: Environment): FieldErrors {
  const problem = "may not be set when hostUsers is false";
  const errors: FieldError[] = [];
  if (spec.hostNetwork && !gates.enabled("UserNamespacesHostNetworkSupport"))
    errors.push(forbidden("hostNetwork", problem));
  if (spec.hostPID) errors.push(forbidden("HostPID", problem));
  if (spec.hostIPC) errors.push(forbidden("HostIPC", problem));
  for (const kind of kinds) {
    for (const [index, { volumeDevices }] of (spec[kind] ?? []).entries()) {
      if (volumeDevices?.length) errors.push(forbidden(`${kind}[${index}].volumeDevices`, problem));
    }
  }
  return errors;
}

function validateHost(spec: PodSpec): FieldErrors {
  return ofEach(kinds, (kind) =>
    ofEach(spec[kind], ({ securityContext }, index) =>
      securityContext?.procMount === "Unmasked"
        ? [invalid(`${kind}[${index}].securityContext.procMount`, "Unmasked", "needs hostUsers to be false")]
        : [],
    ),
  );
}
