/** Checks of the status of a pod. */

import { pick } from "../../../../machinery/schema/build.ts";
import { checker } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { withoutKept } from "../../../../machinery/schema/ratchet.ts";
import { type FieldError, type FieldErrors, forbidden } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { addressListProblems } from "./address-rules.ts";
import { validateAnnotationsKept, validatePodAnnotations } from "./annotations.ts";
import { mayRestart } from "./restarts.ts";
import type { PodLike } from "./seccomp.ts";
import type { PodSpec } from "./spec.ts";
import { PodStatus } from "./status.ts";
import { noSpec } from "./validate.ts";
import { validateLaterStatus } from "./validate-later-status.ts";

const checkConditions = checker(pick(PodStatus, ["conditions"]));
const Node = pick(PodStatus, ["nominatedNodeName"]);
const [checkNode, withoutKeptNode] = [checker(Node), withoutKept(Node)];

type PodWithStatus = PodLike & { status?: PodStatus };

export function validatePodStatusUpdate(
  pod: PodWithStatus,
  old: PodWithStatus,
  environment: Environment,
): FieldError[] {
  const { annotations } = pod.metadata;
  const stored = old.metadata.annotations ?? {};
  const [status, before] = [pod.status ?? {}, old.status ?? {}];
  return [
    ...validateAnnotationsKept(annotations ?? {}, stored, environment),
    ...validatePodAnnotations(annotations, pod.spec ?? noSpec, "metadata.annotations", environment, stored),
    // v1.21 reports conditions under metadata.
    ...checkConditions(status, has(environment, "namedStatus") ? "status" : "metadata", environment),
    ...withoutKeptNode(checkNode(status, "status", environment), status, before, "status", environment.level),
    ...validateStates(status, before, old.spec),
    ...validateAddresses(status, before, environment),
    ...(has(environment, "checkedPodStatus")
      ? validateLaterStatus(status, before, old.spec ?? noSpec, environment)
      : []),
  ];
}

/** A container that ended for good does not come back. */
function validateStates(status: PodStatus, before: PodStatus, spec: PodSpec = noSpec): FieldError[] {
  const policy = spec.restartPolicy;
  return (["containerStatuses", "initContainerStatuses"] as const).flatMap((kind) => {
    if (policy === "Always" && !spec.containers?.some(({ restartPolicy }) => restartPolicy)) return [];
    const containers = new Map(
      (kind === "containerStatuses" ? spec.containers : spec.initContainers)?.map((one) => [one.name, one]),
    );
    const running = (status[kind] ?? []).filter(({ state }) => state?.terminated === undefined);
    const isBack = new Set(running.map(({ name }) => name));
    return (before[kind] ?? []).flatMap(({ name, state }, index) => {
      if (state?.terminated === undefined) return [];
      if (mayRestart(containers.get(name), policy, state.terminated.exitCode)) return [];
      return isBack.has(name)
        ? [forbidden(`status.${kind}[${index}].state`, "may not be transitioned to non-terminated state")]
        : [];
    });
  });
}

/** Addresses that were invalid before are tolerated. */
function validateAddresses(status: PodStatus, before: PodStatus, environment: Environment): FieldErrors {
  const errors = addressProblems(status, environment);
  return errors.length > 0 && addressProblems(before, environment).length === 0 ? errors : [];
}

const addressProblems = ({ podIPs = [] }: PodStatus, environment: Environment): FieldErrors =>
  addressListProblems(podIPs, "status.podIPs", environment);
