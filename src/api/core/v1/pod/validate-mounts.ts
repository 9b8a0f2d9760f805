/** Relations between the volume mounts and volume devices of a container, and the volumes of the pod. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import { refuse } from "../../../../machinery/schema/relations.ts";
import {
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notFoundValue,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import type { Volume } from "../volume/volume.ts";
import { Container, VolumeMount } from "./container.ts";

export type VolumesByName = ReadonlyMap<string, Volume>;

export const mountRelations: readonly Relation[] = [
  refuse(VolumeMount, "subPathExpr", "subPathExpr and subPath are mutually exclusive", ({ subPath, subPathExpr }) =>
    Boolean(subPath && subPathExpr),
  ),
  on(VolumeMount, validateRecursion, { since: "1.30" }),
  on(Container, validateEither),
  on(Container, validatePropagation),
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

/** What a container has is mounted either as files or as a device. */
function validateEither({ volumeMounts, volumeDevices }: Container): FieldErrors {
  if (volumeMounts === undefined || volumeDevices === undefined) return noErrors;
  const names = new Set(volumeDevices.map(({ name }) => name));
  const paths = new Set(volumeDevices.map(({ devicePath }) => devicePath));
  const mounted = new Set(volumeMounts.map(({ name }) => name));
  const mountPaths = new Set(volumeMounts.map(({ mountPath }) => mountPath));
  const clash = (field: string, value: string, others: ReadonlySet<string>, where: string) =>
    others.has(value) ? [invalid(field, value, `must not already exist ${where}`)] : noErrors;
  return together(
    ofEach(volumeMounts, ({ name, mountPath }, at) => [
      ...clash(`volumeMounts[${at}].name`, name, names, "in volumeDevices"),
      ...clash(`volumeMounts[${at}].mountPath`, mountPath, paths, "as a path in volumeDevices"),
    ]),
    ofEach(volumeDevices, ({ name, devicePath }, at) => [
      ...clash(`volumeDevices[${at}].name`, name, mounted, "in volumeMounts"),
      ...clash(`volumeDevices[${at}].devicePath`, devicePath, mountPaths, "as a path in volumeMounts"),
    ]),
  );
}

/** v1.21 reports this for the list, not for the mount. */
function validatePropagation({ volumeMounts, securityContext }: Container): FieldErrors {
  if (securityContext?.privileged === true) return noErrors;
  const problem = "Bidirectional mount propagation is available only to privileged containers";
  return ofEach(volumeMounts, ({ mountPropagation }) =>
    mountPropagation === "Bidirectional" ? [forbidden("volumeMounts.mountPropagation", problem)] : noErrors,
  );
}

/** v1.35 reports it for the list, not for the mount. */
function validateRecursion({ recursiveReadOnly: mode, readOnly, mountPropagation = "None" }: VolumeMount): FieldErrors {
  if (mode !== "Enabled" && mode !== "IfPossible") return noErrors;
  const only = (when: string) => forbidden("../recursiveReadOnly", `may only be specified when ${when}`);
  return [
    ...(readOnly ? [] : [only("readOnly is true")]),
    ...(mountPropagation === "None" ? [] : [only("mountPropagation is None")]),
  ];
}
