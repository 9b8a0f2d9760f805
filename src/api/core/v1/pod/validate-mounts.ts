/** Checks of the volume mounts and volume devices of a container. */

import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import {
  forbidden,
  invalid,
  noErrors,
  notFoundValue,
  notSupported,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { hasBackstep, validateLocalDescendingPath } from "../volume/validate-path.ts";
import type { Volume } from "../volume/volume.ts";
import type { Container, VolumeMount } from "./container.ts";

export type VolumesByName = ReadonlyMap<string, Volume>;

const mountPropagations = ["None", "HostToContainer", "Bidirectional"];

export function validateMounts(container: Container, volumes: VolumesByName, path: string): FieldErrors {
  if (!container.volumeMounts) return noErrors;
  const taken = new Set<string>();
  const devices = new Map((container.volumeDevices ?? []).map(({ name, devicePath }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  return ofEach(container.volumeMounts, (mount, index) => {
    const at = `${path}[${index}]`;
    const { name, mountPath } = mount;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name));
    if (mountPath === "") errors.push(required(`${at}.mountPath`));
    if (taken.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, "must be unique"));
    taken.add(mountPath);
    if (devices.has(name)) errors.push(invalid(`${at}.name`, name, "must not already exist in volumeDevices"));
    if (devicePaths.has(mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    }
    return together(errors, validateMountDetails(mount, container, path, at));
  });
}

/** v1.21 reports most of these for the list, not for the mount (`at`). */
function validateMountDetails(mount: VolumeMount, container: Container, path: string, at: string): FieldErrors {
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

export function validateDevices(container: Container, volumes: VolumesByName, path: string): FieldErrors {
  if (!container.volumeDevices) return noErrors;
  const paths = new Set<string>();
  const names = new Set<string>();
  const mounts = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
  const mountPaths = new Set(mounts.values());
  return ofEach(container.volumeDevices, ({ name, devicePath }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    const problem = (field: "name" | "devicePath", value: string, detail: string) =>
      errors.push(invalid(`${at}.${field}`, value, detail));
    if (name === "") errors.push(required(`${at}.name`));
    else if (names.has(name)) problem("name", name, "must be unique");
    names.add(name);
    const volume = volumes.get(name);
    if (volume === undefined) errors.push(notFoundValue(`${at}.name`, name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      problem("name", name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (devicePath === "") errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) problem("devicePath", devicePath, "must be unique");
    if (hasBackstep(devicePath)) problem("devicePath", devicePath, "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mounts.has(name)) problem("name", name, "must not already exist in volumeMounts");
    if (mountPaths.has(devicePath)) {
      problem("devicePath", devicePath, "must not already exist as a path in volumeMounts");
    }
    return errors;
  });
}
