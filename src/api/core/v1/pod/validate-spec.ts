/** Checks of the spec of a pod, in pods and in templates. */

import { validateLabels } from "../../../../machinery/meta/metadata.ts";
import { isDns1123Label, isDns1123Subdomain, isIp, isQualifiedName } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import {
  each,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { validateVolumes } from "../volume/validate.ts";
import type { PodDNSConfig, PodSpec } from "./spec.ts";
import { validateContainers, validateInitContainers } from "./validate-container.ts";
import { validateEphemeralContainers } from "./validate-ephemeral-containers.ts";
import { validateResourceRequirements } from "./validate-resources.ts";
import { validateAffinity, validateSpread, validateTolerations } from "./validate-scheduling.ts";
import { validatePodSecurityContext } from "./validate-security-context.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const preemptionPolicies = ["PreemptLowerPriority", "Never"];
const deadlineSecondsMax = 2147483647;
const nameserversMax = 3;
const searchesMax = 6;
const searchesCharsMax = 256;

/** `podName`: the name of the pod; absent for a template, whose pods get their own names. */
export function validatePodSpec(spec: PodSpec, path: string, environment: Environment, podName?: string): FieldErrors {
  const { errors, byName } = validateVolumes(spec.volumes, `${path}.volumes`, environment, podName);
  return together(
    errors,
    validateContainers(spec.containers, byName, `${path}.containers`, environment),
    validateInitContainers(spec.initContainers, spec.containers, byName, `${path}.initContainers`, environment),
    validateEphemeralContainers(spec, byName, `${path}.ephemeralContainers`, environment),
    validateOneOf(spec.restartPolicy, restartPolicies, `${path}.restartPolicy`),
    validateOneOf(spec.dnsPolicy, dnsPolicies, `${path}.dnsPolicy`),
    validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    validateHostNetwork(spec, path),
    validatePodSecurityContext(spec, `${path}.securityContext`),
    validateAffinity(spec.affinity, `${path}.affinity`),
    validateDns(spec.dnsPolicy, spec.dnsConfig, `${path}.dnsConfig`),
    ofEach(spec.readinessGates, ({ conditionType }, index) =>
      each(isQualifiedName(conditionType), `${path}.readinessGates[${index}].conditionType`, conditionType),
    ),
    validateSpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`),
    validateNames(spec, path),
    validateDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    validateTolerations(spec.tolerations, `${path}.tolerations`),
    validateHostAliases(spec, path),
    // As if they were the limits of one more container.
    spec.overhead === undefined
      ? noErrors
      : validateResourceRequirements({ limits: spec.overhead }, `${path}.overhead`, environment),
    spec.preemptionPolicy === undefined
      ? noErrors
      : validateOneOf(spec.preemptionPolicy, preemptionPolicies, `${path}.preemptionPolicy`),
  );
}

function validateOneOf(value: string | undefined, allowed: readonly string[], path: string): FieldErrors {
  if (!value) return [required(path)];
  return allowed.includes(value) ? noErrors : [notSupported(path, value, allowed)];
}

function validateDeadline(seconds: number | undefined, path: string): FieldErrors {
  if (seconds === undefined || (seconds >= 1 && seconds <= deadlineSecondsMax)) return noErrors;
  return [invalid(path, seconds, `must be between 1 and ${deadlineSecondsMax}, inclusive`)];
}

function validateNames(spec: PodSpec, path: string): FieldErrors {
  const check = (field: string, value: string | undefined, rule: (text: string) => readonly string[]) =>
    value ? each(rule(value), `${path}.${field}`, value) : noErrors;
  return together(
    check("serviceAccountName", spec.serviceAccountName, isDns1123Subdomain),
    check("nodeName", spec.nodeName, isDns1123Subdomain),
    check("hostname", spec.hostname, isDns1123Label),
    check("subdomain", spec.subdomain, isDns1123Label),
    check("priorityClassName", spec.priorityClassName, isDns1123Subdomain),
    spec.runtimeClassName === undefined
      ? noErrors
      : each(isDns1123Subdomain(spec.runtimeClassName), `${path}.runtimeClassName`, spec.runtimeClassName),
  );
}

/** A pod in the host network has no ports to map. */
function validateHostNetwork(spec: PodSpec, path: string): FieldErrors {
  if (!spec.hostNetwork) return noErrors;
  return ofEach(spec.containers, (container, index) =>
    ofEach(container.ports, (port, portIndex) =>
      port.hostPort === port.containerPort
        ? noErrors
        : [
            invalid(
              `${path}.containers[${index}].ports[${portIndex}].containerPort`,
              port.containerPort,
              "must match `hostPort` when `hostNetwork` is true",
            ),
          ],
    ),
  );
}

function validateDns(policy: string | undefined, config: PodDNSConfig | undefined, path: string): FieldErrors {
  const servers = config?.nameservers ?? [];
  if (policy === "None" && config === undefined)
    return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
  if (policy === "None" && servers.length === 0)
    return [required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  if (config === undefined) return noErrors;
  const errors: FieldError[] = [];
  if (servers.length > nameserversMax)
    errors.push(invalid(`${path}.nameservers`, servers, `must not have more than ${nameserversMax} nameservers`));
  servers.forEach((server, index) => {
    errors.push(...isIp(server).map((problem) => invalid(`${path}.nameservers[${index}]`, server, problem)));
  });
  const searches = config.searches ?? [];
  if (searches.length > searchesMax)
    errors.push(invalid(`${path}.searches`, searches, `must not have more than ${searchesMax} search paths`));
  if (searches.join(" ").length > searchesCharsMax)
    errors.push(invalid(`${path}.searches`, searches, `must not have more than ${searchesCharsMax} characters`));
  searches.forEach((search, index) => {
    const name = search.endsWith(".") ? search.slice(0, -1) : search;
    errors.push(...isDns1123Subdomain(name).map((problem) => invalid(`${path}.searches[${index}]`, search, problem)));
  });
  (config.options ?? []).forEach((option, index) => {
    if (!option.name) errors.push(required(`${path}.options[${index}]`, "must not be empty"));
  });
  return errors;
}

/** v1.21 reports these for the list, not for the alias. */
function validateHostAliases(spec: PodSpec, path: string): FieldErrors {
  return ofEach(spec.hostAliases, ({ ip = "", hostnames = [] }) =>
    together(
      each(isIp(ip), `${path}.hostAliases.ip`, ip),
      ofEach(hostnames, (name) => each(isDns1123Subdomain(name), `${path}.hostAliases.hostnames`, name)),
    ),
  );
}
