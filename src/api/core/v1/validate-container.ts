/** Checks of a pod's containers. */

import { isIP } from "node:net";
import { isPortName } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import {
  duplicate,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from "../../../machinery/status/field-error.ts";
import type { Container, VolumeMount } from "./container.ts";
import { protocols } from "./endpoints.ts";
import { validateContainerName, validateLifecycle, validatePortNumber, validateProbe } from "./validate-actions.ts";
import { validateEnv, validateEnvFrom } from "./validate-env.ts";
import { validateResourceRequirements } from "./validate-resources.ts";
import { validateSecurityContext } from "./validate-security-context.ts";
import type { Volume } from "./volume.ts";

export const pullPolicies = ["Always", "IfNotPresent", "Never"];
const terminationMessagePolicies = ["File", "FallbackToLogsOnError"];
const mountPropagations = ["None", "HostToContainer", "Bidirectional"];

export type VolumesByName = ReadonlyMap<string, Volume>;

export function validateContainers(
  containers: readonly Container[] | null | undefined,
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldError[] {
  if (!containers || containers.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`;
    errors.push(...validateContainer(container, volumes, at, environment));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    errors.push(...validateLifecycle(container.lifecycle, `${at}.lifecycle`));
    for (const kind of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
      const probe = container[kind];
      errors.push(...validateProbe(probe, `${at}.${kind}`));
      if (kind !== "readinessProbe" && probe && probe.successThreshold !== 1) {
        errors.push(invalid(`${at}.${kind}.successThreshold`, probe.successThreshold, "must be 1"));
      }
    }
  });
  return [...errors, ...validateHostPorts(containers, path)];
}

export function validateInitContainers(
  containers: readonly Container[] | undefined,
  others: readonly Container[] | null,
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set((others ?? []).map(({ name }) => name));
  (containers ?? []).forEach((container, index) => {
    const at = `${path}[${index}]`;
    errors.push(...validateContainer(container, volumes, at, environment));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    for (const kind of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
      if (container[kind]) errors.push(invalid(`${at}.${kind}`, "", "must not be set for init containers"));
    }
    errors.push(...validateHostPorts([container], path));
  });
  return errors;
}

export function validateContainer(
  container: Container,
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldError[] {
  const errors = validateContainerName(container.name, `${path}.name`);
  const image = container.image ?? "";
  if (image === "") errors.push(required(`${path}.image`));
  else if (image !== image.trim()) {
    errors.push(invalid(`${path}.image`, image, "must not have leading or trailing whitespace"));
  }
  const messagePolicy = container.terminationMessagePolicy ?? "";
  if (messagePolicy === "") errors.push(required(`${path}.terminationMessagePolicy`));
  else if (!terminationMessagePolicies.includes(messagePolicy)) {
    errors.push(notSupported(`${path}.terminationMessagePolicy`, messagePolicy, terminationMessagePolicies));
  }
  const pullPolicy = container.imagePullPolicy ?? "";
  if (pullPolicy === "") errors.push(required(`${path}.imagePullPolicy`));
  else if (!pullPolicies.includes(pullPolicy)) {
    errors.push(notSupported(`${path}.imagePullPolicy`, pullPolicy, pullPolicies));
  }
  return [
    ...errors,
    ...validatePorts(container, `${path}.ports`),
    ...validateEnv(container.env, `${path}.env`),
    ...validateEnvFrom(container.envFrom, `${path}.envFrom`),
    ...validateMounts(container, volumes, path),
    ...validateDevices(container, volumes, path),
    ...validateResourceRequirements(container.resources, `${path}.resources`, environment),
    ...validateSecurityContext(container.securityContext, `${path}.securityContext`, environment),
  ];
}

function validatePorts(container: Container, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  (container.ports ?? []).forEach((port, index) => {
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
    if (port.hostIP && isIP(port.hostIP) === 0)
      errors.push(invalid(`${at}.hostIP`, port.hostIP, "must be a valid IP address"));
  });
  return errors;
}

/** No two containers may take the same port of the host. */
function validateHostPorts(containers: readonly Container[], path: string): FieldError[] {
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

function validateMounts(container: Container, volumes: VolumesByName, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mountPaths = new Set<string>();
  const devicePaths = new Set((container.volumeDevices ?? []).map(({ devicePath }) => devicePath));
  const devices = new Set((container.volumeDevices ?? []).map(({ name }) => name));
  (container.volumeMounts ?? []).forEach((mount, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    if (mount.name === "") errors.push(required(`${at}.name`));
    if (mount.name !== "" && !volumes.has(mount.name)) {
      errors.push(notFoundValue(`${at}.name`, mount.name));
    }
    if (mount.mountPath === "") errors.push(required(`${at}.mountPath`));
    if (mountPaths.has(mount.mountPath)) errors.push(invalid(`${at}.mountPath`, mount.mountPath, "must be unique"));
    mountPaths.add(mount.mountPath);
    if (devices.has(mount.name))
      errors.push(invalid(`${at}.name`, mount.name, "must not already exist in volumeDevices"));
    if (devicePaths.has(mount.mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mount.mountPath, "must not already exist as a path in volumeDevices"));
    }
    errors.push(...validateMountDetails(mount, container, `${path}.volumeMounts`, at));
  });
  return errors;
}

/** v1.21 reports most of these for the list, not for the mount (`at`). */
function validateMountDetails(mount: VolumeMount, container: Container, path: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (mount.subPath) errors.push(...validateLocalDescendingPath(mount.subPath, `${path}.subPath`));
  if (mount.subPathExpr) {
    if (mount.subPath) {
      errors.push(invalid(`${at}.subPathExpr`, mount.subPathExpr, "subPathExpr and subPath are mutually exclusive"));
    }
    errors.push(...validateLocalDescendingPath(mount.subPathExpr, `${path}.subPathExpr`));
  }
  const propagation = mount.mountPropagation;
  if (propagation === undefined) return errors;
  const field = `${path}.mountPropagation`;
  if (!mountPropagations.includes(propagation)) errors.push(notSupported(field, propagation, mountPropagations));
  if (propagation === "Bidirectional" && container.securityContext?.privileged !== true) {
    errors.push(forbidden(field, "Bidirectional mount propagation is available only to privileged containers"));
  }
  return errors;
}

function validateDevices(container: Container, volumes: VolumesByName, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const paths = new Set<string>();
  const names = new Set<string>();
  (container.volumeDevices ?? []).forEach((device, index) => {
    const at = `${path}.volumeDevices[${index}]`;
    if (device.name === "") errors.push(required(`${at}.name`));
    if (names.has(device.name)) errors.push(invalid(`${at}.name`, device.name, "must be unique"));
    names.add(device.name);
    const volume = volumes.get(device.name);
    if (device.name !== "") {
      if (volume === undefined) {
        errors.push(notFoundValue(`${at}.name`, device.name));
      } else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
        errors.push(
          invalid(
            `${at}.name`,
            device.name,
            "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
          ),
        );
      }
    }
    if (device.devicePath === "") errors.push(required(`${at}.devicePath`));
    if (paths.has(device.devicePath)) errors.push(invalid(`${at}.devicePath`, device.devicePath, "must be unique"));
    paths.add(device.devicePath);
    if (device.devicePath !== "" && hasBackstep(device.devicePath)) {
      errors.push(invalid(`${at}.devicePath`, device.devicePath, "can not contain backsteps ('..')"));
    }
  });
  return errors;
}

export const hasBackstep = (path: string): boolean => path.split("/").includes("..");

/** A path below some folder: relative, never up. */
export function validateLocalDescendingPath(path: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (path.startsWith("/")) errors.push(invalid(field, path, "must be a relative path"));
  if (hasBackstep(path)) errors.push(invalid(field, path, "must not contain '..'"));
  return errors;
}
