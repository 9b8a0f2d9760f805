/** Checks of the spec of a claim, in claims and in volumes of pods. */

import { validateLabelSelector } from "../../../../machinery/meta/metadata.ts";
import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import { addTo, type FieldError, invalid, notSupported, required } from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import type { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";

export const accessModes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];
export const volumeModes = ["Block", "Filesystem"];

export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required(`${path}.accessModes`, "at least 1 access mode is required"));
  if (spec.selector) addTo(errors, validateLabelSelector(spec.selector, `${path}.selector`));
  for (const mode of modes) {
    if (!accessModes.includes(mode)) errors.push(notSupported(`${path}.accessModes`, mode, accessModes));
  }
  const storage = spec.resources?.requests?.["storage"];
  const at = `${path}.resources[storage]`;
  // Other resources are not checked.
  if (storage === undefined) errors.push(required(at));
  else if (compareAmounts(storage, "0") <= 0) errors.push(invalid(at, storage, "must be greater than zero"));
  if (spec.storageClassName) {
    errors.push(
      ...isDns1123Subdomain(spec.storageClassName).map((p) =>
        invalid(`${path}.storageClassName`, spec.storageClassName, p),
      ),
    );
  }
  if (spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode)) {
    errors.push(notSupported(`${path}.volumeMode`, spec.volumeMode, volumeModes));
  }
  return [...errors, ...validateDataSource(spec.dataSource, `${path}.dataSource`)];
}

function validateDataSource(source: PersistentVolumeClaimSpec["dataSource"], path: string): FieldError[] {
  if (source === undefined) return [];
  const errors: FieldError[] = [];
  if (source.name === "") errors.push(required(`${path}.name`));
  if (source.kind === "") errors.push(required(`${path}.kind`));
  const group = source.apiGroup ?? "";
  if (group === "" && source.kind !== "PersistentVolumeClaim") {
    errors.push(invalid(path, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  return errors;
}
