/** What a pod with a user namespace of its own may not have, and what needs one. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { type FieldErrors, forbidden, invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { allKinds, eachContainer } from "./each-container.ts";
import { PodSpec } from "./spec.ts";

export const userNamespaceRelations: readonly Relation[] = [
  on(PodSpec, (spec, environment) => (spec.hostUsers === false ? validateOwn(spec, environment) : validateHost(spec)), {
    since: "1.25",
  }),
];

/** Names are those of v1.35. */
function validateOwn(spec: PodSpec, { gates }: Environment): FieldErrors {
  const refused = (field: string) => forbidden(field, "may not be set when hostUsers is false");
  return [
    ...(spec.hostNetwork && !gates.enabled("UserNamespacesHostNetworkSupport") ? [refused("hostNetwork")] : []),
    ...(spec.hostPID ? [refused("HostPID")] : []),
    ...(spec.hostIPC ? [refused("HostIPC")] : []),
    ...eachContainer(spec, allKinds, ({ volumeDevices }, at) =>
      volumeDevices?.length ? [refused(`${at}.volumeDevices`)] : noErrors,
    ),
  ];
}

const validateHost = (spec: PodSpec): FieldErrors =>
  eachContainer(spec, allKinds, ({ securityContext }, at) =>
    securityContext?.procMount === "Unmasked"
      ? [invalid(`${at}.securityContext.procMount`, "Unmasked", "needs hostUsers to be false")]
      : noErrors,
  );
