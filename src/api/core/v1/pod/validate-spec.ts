/** Checks of the spec of a pod, in pods and in templates. */

import { checker, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import {
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { validateVolumes } from "../volume/validate.ts";
import { PodDNSConfig, PodSpec } from "./spec.ts";
import { containerRelations } from "./validate-container.ts";
import { validateEphemeralContainers } from "./validate-ephemeral-containers.ts";
import { validateMounted } from "./validate-mounts.ts";
import { schedulingRelations } from "./validate-scheduling.ts";

const searchesCharsMax = 256;

const relations: readonly Relation[] = [
  ...containerRelations,
  ...schedulingRelations,
  on(PodSpec, (spec, environment) => together(validateHostNetwork(spec), validateDns(spec, environment))),
];
const checkSpec = checker(PodSpec, relations);
const checkDns = checker(PodDNSConfig, [
  on(PodDNSConfig, ({ searches }) =>
    searches && searches.join(" ").length > searchesCharsMax
      ? [invalid("searches", searches, `must not have more than ${searchesCharsMax} characters`)]
      : noErrors,
  ),
]);

/** `podName`: the name of the pod; absent for a template, whose pods get their own names. */
export function validatePodSpec(spec: PodSpec, path: string, environment: Environment, podName?: string): FieldErrors {
  const { errors, byName } = validateVolumes(spec.volumes, `${path}.volumes`, environment, podName);
  return together(
    errors,
    checkSpec(spec, path, environment),
    validateMounted(spec.containers, byName, `${path}.containers`),
    validateMounted(spec.initContainers, byName, `${path}.initContainers`),
    validateEphemeralContainers(spec, byName, `${path}.ephemeralContainers`, environment),
  );
}

/** A pod in the host network has no ports to map. */
function validateHostNetwork(spec: PodSpec): FieldErrors {
  if (!spec.hostNetwork) return noErrors;
  return ofEach(spec.containers, (container, index) =>
    ofEach(container.ports, (port, portIndex) =>
      port.hostPort === port.containerPort
        ? noErrors
        : [
            invalid(
              `containers[${index}].ports[${portIndex}].containerPort`,
              port.containerPort,
              "must match `hostPort` when `hostNetwork` is true",
            ),
          ],
    ),
  );
}

/** A pod that does not use the DNS of the cluster or node must say which. */
function validateDns({ dnsPolicy, dnsConfig }: PodSpec, environment: Environment): FieldErrors {
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined) return [required("dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (!dnsConfig.nameservers?.length) {
      const problem = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required("dnsConfig.nameservers", problem)];
    }
  }
  return checkDns(dnsConfig, "dnsConfig", environment);
}
