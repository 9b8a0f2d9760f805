/** Checks of the status of a pod. */

import { ipVersion, isDns1123Subdomain, isIp, isQualifiedName } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { duplicate, type FieldError, forbidden, invalid } from "../../../../machinery/status/field-error.ts";
import { repeats } from "../../../validation.ts";
import type { PodLike } from "./seccomp.ts";
import { noSpec } from "./validate.ts";
import { validateAnnotationsKept, validatePodAnnotations } from "./validate-annotations.ts";

interface ContainerStatusLike {
  readonly name: string;
  readonly state?: { readonly terminated?: { readonly exitCode: number } };
}
interface PodStatusLike {
  readonly nominatedNodeName?: string;
  readonly podIPs?: readonly { readonly ip?: string }[];
  readonly conditions?: readonly { readonly type: string }[];
  readonly containerStatuses?: readonly ContainerStatusLike[];
  readonly initContainerStatuses?: readonly ContainerStatusLike[];
}
type PodWithStatus = PodLike & { status?: PodStatusLike };

export function validatePodStatusUpdate(
  pod: PodWithStatus,
  old: PodWithStatus,
  environment: Environment,
): FieldError[] {
  const { annotations } = pod.metadata;
  const [status, before] = [pod.status ?? {}, old.status ?? {}];
  return [
    ...validateAnnotationsKept(annotations ?? {}, old.metadata.annotations ?? {}, environment),
    ...validatePodAnnotations(annotations, pod.spec ?? noSpec, "metadata.annotations", environment),
    ...validateConditions(status),
    ...validateNominated(status.nominatedNodeName, before.nominatedNodeName),
    ...validateStates(status, before, old.spec?.restartPolicy),
    ...validateAddresses(status, before),
  ];
}

const ownConditions = ["PodScheduled", "Ready", "Initialized"];

/** v1.21 reports conditions under metadata. */
const validateConditions = ({ conditions = [] }: PodStatusLike): FieldError[] =>
  conditions.flatMap(({ type }, index) =>
    ownConditions.includes(type)
      ? []
      : isQualifiedName(type).map((problem) => invalid(`metadata.conditions[${index}].Type`, type, problem)),
  );

function validateNominated(now: string | undefined, before: string | undefined): FieldError[] {
  if (!now || now === before) return [];
  return isDns1123Subdomain(now).map((problem) => invalid("status.nominatedNodeName", now, problem));
}

/** A container that ended for good does not come back. */
function validateStates(status: PodStatusLike, before: PodStatusLike, policy: string | undefined): FieldError[] {
  if (policy === "Always") return [];
  return (["containerStatuses", "initContainerStatuses"] as const).flatMap((kind) => {
    const running = (status[kind] ?? []).filter(({ state }) => state?.terminated === undefined);
    const isBack = new Set(running.map(({ name }) => name));
    return (before[kind] ?? []).flatMap(({ name, state }, index) => {
      if (state?.terminated === undefined) return [];
      if (policy === "OnFailure" && state.terminated.exitCode !== 0) return [];
      return isBack.has(name)
        ? [forbidden(`status.${kind}[${index}].state`, "may not be transitioned to non-terminated state")]
        : [];
    });
  });
}

/** Addresses that were invalid before are tolerated. */
function validateAddresses(status: PodStatusLike, before: PodStatusLike): FieldError[] {
  const errors = addressProblems(status);
  return errors.length > 0 && addressProblems(before).length === 0 ? errors : [];
}

function addressProblems({ podIPs = [] }: PodStatusLike): FieldError[] {
  const path = "status.podIPs";
  const addresses = podIPs.map(({ ip = "" }) => ip);
  const errors = addresses.flatMap((ip, index) => isIp(ip).map((problem) => invalid(`${path}[${index}]`, ip, problem)));
  if (addresses.length < 2) return errors;
  const families = addresses.map(ipVersion);
  if (families.includes(0)) errors.push({ reason: "InternalError", field: path, message: "addresses cannot be read" });
  if (addresses.length > 2 || families.includes(0) || families[0] === families[1]) {
    errors.push(invalid(path, addresses, "may specify no more than one IP for each IP family"));
  }
  for (const index of repeats(addresses)) errors.push(duplicate(`${path}[${index}]`, addresses[index]));
  return errors;
}
