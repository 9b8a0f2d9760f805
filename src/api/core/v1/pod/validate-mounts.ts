/** Relations between the volume mounts and volume devices of a container, and the volumes of the pod. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notFoundValue,
  notSupported,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { hasBackstep } from "../volume/validate-path.ts";
import type { Volume } from "../volume/volume.ts";
import { Container, type VolumeMount } from "./container.ts";

export type VolumesByName = ReadonlyMap<string, Volume>;

export const mountRelations: readonly Relation[] = [
  on(Container, (container) => (container.volumeMounts ? validateMounts(container) : noErrors)),
  on(Container, (container) => (container.volumeDevices ? validateDevices(container) : noErrors)),
];

/** Mounts and devices must be volumes of the pod. */
export function validateMounted(
  containers: readonly Container[] | null | undefined,
  volumes: VolumesByName,
  path: string,
): FieldErrors {
  return ofEach(containers, (container, index) =>
    container.volumeMounts || container.volumeDevices
      ? validateMountedIn(container, volumes, `${path}[${index}]`)
      : noErrors,
  );
}

/** Checks the mounts of one container, which is at `path`. */
export const validateMountedIn = (
  { volumeMounts, volumeDevices }: Container,
  volumes: VolumesByName,
  path: string,
): FieldErrors =>
  together(
    ofEach(volumeMounts, ({ name }, at) =>
      volumes.has(name) ? noErrors : [notFoundValue(`${path}.volumeMounts[${at}].name`, name)],
    ),
    ofEach(volumeDevices, ({ name }, at) => validateDevice(name, volumes, `${path}.volumeDevices[${at}].name`)),
  );

function validateDevice(name: string, volumes: VolumesByName, path: string): FieldErrors {
  const volume = volumes.get(name);
  if (volume === undefined) return [notFoundValue(path, name)];
  return volume.persistentVolumeClaim || volume.ephemeral
    ? noErrors
    : [invalid(path, name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")];
}

const none: ReadonlySet<string> = new Set();

function validateMounts({ volumeMounts, volumeDevices, securityContext }: Container): FieldErrors {
  const taken = new Set<string>();
  const devices = volumeDevices ? new Set(volumeDevices.map(({ name }) => name)) : none;
  const devicePaths = volumeDevices ? new Set(volumeDevices.map(({ devicePath }) => devicePath)) : none;
  return ofEach(volumeMounts, (mount, index) => {
    const { name, mountPath, subPath, subPathExpr, mountPropagation } = mount;
    const at = `volumeMounts[${index}]`;
    const errors: FieldError[] = [];
    if (taken.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, "must be unique"));
    taken.add(mountPath);
    if (devices.has(name)) errors.push(invalid(`${at}.name`, name, "must not already exist in volumeDevices"));
    if (devicePaths.has(mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    }
    if (subPathExpr && subPath) {
      errors.push(invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
    }
    // v1.21 reports this for the list, not for the mount.
    if (mountPropagation === "Bidirectional" && securityContext?.privileged !== true) {
      const problem = "Bidirectional mount propagation is available only to privileged containers";
      errors.push(forbidden("volumeMounts.mountPropagation", problem));
    }
    return mount.recursiveReadOnly === undefined ? errors : [...errors, ...validateRecursion(mount)];
  });
}

const recursions = ["Disabled", "Enabled", "IfPossible"];

/** v1.35 reports it for the list, not for the mount. */
function validateRecursion({ recursiveReadOnly = "", readOnly, mountPropagation = "None" }: VolumeMount): FieldErrors {
  const at = "volumeMounts.recursiveReadOnly";
  if (!recursions.includes(recursiveReadOnly)) return [notSupported(at, recursiveReadOnly, recursions)];
  if (recursiveReadOnly === "Disabled") return noErrors;
  const errors: FieldError[] = [];
  if (!readOnly) errors.push(forbidden(at, "may only be specified when readOnly is true"));
  if (mountPropagation !== "None") errors.push(forbidden(at, "may only be specified when mountPropagation is None"));
  return errors;
}

function validateDevices({ volumeMounts, volumeDevices }: Container): FieldErrors {
  const paths = new Set<string>();
  const names = new Set<string>();
  const mounts = new Set((volumeMounts ?? []).map(({ name }) => name));
  const mountPaths = new Set((volumeMounts ?? []).map(({ mountPath }) => mountPath));
  return ofEach(volumeDevices, ({ name, devicePath }, index) => {
    const errors: FieldError[] = [];
    const problem = (field: "name" | "devicePath", value: string, detail: string) =>
      errors.push(invalid(`volumeDevices[${index}].${field}`, value, detail));
    if (name !== "" && names.has(name)) problem("name", name, "must be unique");
    names.add(name);
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
