/** Checks of a pod's containers. */

import { isPortName } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import {
  duplicate,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { protocols } from "../endpoints.ts";
import type { Container } from "./container.ts";
import { validateContainerName, validateLifecycle, validatePortNumber, validateProbes } from "./validate-actions.ts";
import { validateEnv, validateEnvFrom } from "./validate-env.ts";
import { type VolumesByName, validateDevices, validateMounts } from "./validate-mounts.ts";
import { validateResourceRequirements } from "./validate-resources.ts";
import { validateSecurityContext } from "./validate-security-context.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const terminationMessagePolicies = ["File", "FallbackToLogsOnError"];

export function validateContainers(
  containers: readonly Container[] | null | undefined,
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldErrors {
  if (!containers || containers.length === 0) return [required(path)];
  return together(validateEach(containers, volumes, path, environment), validateHostPorts(containers, path));
}

export function validateInitContainers(
  containers: readonly Container[] | undefined,
  others: readonly Container[] | null,
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldErrors {
  if (!containers || containers.length === 0) return noErrors;
  const names = new Set((others ?? []).map(({ name }) => name));
  return together(
    validateEach(containers, volumes, path, environment),
    ofEach(containers, (container, index) => {
      const at = `${path}[${index}]`;
      const watched = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;
      return [
        ...(names.has(container.name) ? [duplicate(`${at}.name`, container.name)] : []),
        ...watched
          .filter((kind) => container[kind])
          .map((kind) => invalid(`${at}.${kind}`, "", "must not be set for init containers")),
        // They run one after the other. v1.21 reports all of them as the first.
        ...validateHostPorts([container], path),
      ];
    }),
  );
}

function validateEach(
  containers: readonly Container[],
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldErrors {
  const names = new Set<string>();
  return ofEach(containers, (container, index) => {
    const errors = validateContainer(container, volumes, `${path}[${index}]`, environment);
    if (names.has(container.name)) return [...errors, duplicate(`${path}[${index}].name`, container.name)];
    names.add(container.name);
    return errors;
  });
}

function validateContainer(
  container: Container,
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldErrors {
  const errors: FieldError[] = [];
  if (!container.image) errors.push(required(`${path}.image`));
  const messagePolicy = container.terminationMessagePolicy ?? "";
  if (messagePolicy === "") errors.push(required(`${path}.terminationMessagePolicy`));
  else if (!terminationMessagePolicies.includes(messagePolicy)) {
    const allowed = terminationMessagePolicies.join(" or ");
    errors.push(invalid(`${path}.terminationMessagePolicy`, messagePolicy, `must be ${allowed}`));
  }
  const pullPolicy = container.imagePullPolicy ?? "";
  if (pullPolicy === "") errors.push(required(`${path}.imagePullPolicy`));
  else if (!pullPolicies.includes(pullPolicy)) {
    errors.push(notSupported(`${path}.imagePullPolicy`, pullPolicy, pullPolicies));
  }
  return together(
    validateContainerName(container.name, `${path}.name`),
    errors,
    validateLifecycle(container.lifecycle, `${path}.lifecycle`),
    validateProbes(container, path),
    validatePorts(container, `${path}.ports`),
    validateEnv(container.env, `${path}.env`, environment),
    validateEnvFrom(container.envFrom, `${path}.envFrom`),
    validateMounts(container, volumes, `${path}.volumeMounts`),
    validateDevices(container, volumes, `${path}.volumeDevices`),
    validateResourceRequirements(container.resources, `${path}.resources`, environment),
    validateSecurityContext(container.securityContext, `${path}.securityContext`, environment),
  );
}

function validatePorts({ ports }: Container, path: string): FieldErrors {
  if (!ports) return noErrors;
  const errors: FieldError[] = [];
  const names = new Set<string>();
  ports.forEach((port, index) => {
    const at = `${path}[${index}]`;
    if (port.name) {
      const problems = isPortName(port.name);
      if (problems.length > 0) errors.push(...problems.map((problem) => invalid(`${at}.name`, port.name, problem)));
      else if (names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name));
      else names.add(port.name);
    }
    if (port.containerPort === 0) errors.push(required(`${at}.containerPort`));
    else errors.push(...validatePortNumber(port.containerPort, `${at}.containerPort`));
    if (port.hostPort) errors.push(...validatePortNumber(port.hostPort, `${at}.hostPort`));
    if (!port.protocol) errors.push(required(`${at}.protocol`));
    else if (!(protocols as readonly string[]).includes(port.protocol)) {
      errors.push(notSupported(`${at}.protocol`, port.protocol, protocols));
    }
  });
  return errors;
}

/** No two containers may take the same port of the host. */
function validateHostPorts(containers: readonly Container[], path: string): FieldErrors {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  containers.forEach((container, index) => {
    (container.ports ?? []).forEach((port, portIndex) => {
      if (!port.hostPort) return;
      const key = `${port.protocol}/${port.hostIP ?? ""}/${port.hostPort}`;
      if (taken.has(key)) errors.push(duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key));
      taken.add(key);
    });
  });
  return errors;
}
