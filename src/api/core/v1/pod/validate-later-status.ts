/** Checks of what later levels have in the status of a pod. */

import { pick } from "../../../../machinery/schema/build.ts";
import { checker } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { unchanged } from "../../../../machinery/schema/unchanged.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { addressListProblems } from "./address-rules.ts";
import type { PodSpec } from "./spec.ts";
import { ContainerUser, PodStatus } from "./status.ts";

const checkStatus = checker(pick(PodStatus, ["observedGeneration", "resourceClaimStatuses"]));
const checkUser = checker(ContainerUser);
const keepStatus = unchanged(PodStatus);

export const validateLaterStatus = (
  status: PodStatus,
  before: PodStatus,
  spec: PodSpec,
  environment: Environment,
): FieldError[] => [
  ...checkStatus(status, "status", environment),
  ...validateHostIps(status, environment),
  ...validateClaimStatuses(status, spec),
  ...validateUsers(status, spec, environment),
  ...(has(environment, "checkedEphemeralStates") ? validateEphemeralStates(status, before) : []),
  ...keepStatus(status, before, "status", environment.level),
  ...(has(environment, "finalNominations") &&
  spec.nodeName &&
  status.nominatedNodeName &&
  status.nominatedNodeName !== before.nominatedNodeName
    ? [forbidden("status.nominatedNodeName", "may not be changed for a pod that is bound")]
    : []),
];

function validateHostIps({ hostIP = "", hostIPs = [] }: PodStatus, environment: Environment): FieldError[] {
  const path = "status.hostIPs";
  const [first] = hostIPs;
  if (first === undefined) return [];
  const isSame = hostIP === first.ip;
  return [
    ...(isSame ? [] : [invalid(`${path}[0].ip`, first.ip, "must be equal to `hostIP`")]),
    ...addressListProblems(hostIPs, path, environment),
  ];
}

function validateClaimStatuses({ resourceClaimStatuses }: PodStatus, spec: PodSpec): FieldErrors {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  return ofEach(resourceClaimStatuses, ({ name }, index) =>
    known.has(name)
      ? noErrors
      : [invalid(`status.resourceClaimStatuses[${index}].name`, name, "must be the name of a claim of the pod")],
  );
}

function validateUsers(status: PodStatus, spec: PodSpec, environment: Environment): FieldErrors {
  return ofEach(["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const, (kind) =>
    ofEach(status[kind], ({ user }, index) => {
      const path = `status.${kind}[${index}].user`;
      return user?.linux && spec.os?.name === "windows"
        ? [
            forbidden(
              `${has(environment, "namedUsers") ? path : `status.${kind}[${index}]`}.linux`,
              "may not be set for a pod of windows",
            ),
          ]
        : checkUser(user, path, environment);
    }),
  );
}

/** Ephemeral containers are never started again, whatever the restart policy of the pod. */
function validateEphemeralStates(status: PodStatus, before: PodStatus): FieldErrors {
  const path = "status.ephemeralContainerStatuses";
  const running = (status.ephemeralContainerStatuses ?? []).filter(({ state }) => state?.terminated === undefined);
  const isBack = new Set(running.map(({ name }) => name));
  return ofEach(before.ephemeralContainerStatuses, ({ name, state }, index) =>
    state?.terminated !== undefined && isBack.has(name)
      ? [forbidden(`${path}[${index}].state`, "may not be transitioned to non-terminated state")]
      : noErrors,
  );
}
