/** Checks of volumes that are reached by iSCSI. */

import { type FieldError, invalid, required } from "../../../../machinery/status/field-error.ts";
import { missing, validateLun } from "../pod/source-fields.ts";
import type { ISCSIVolumeSource } from "./block-devices.ts";

/** What volumes of pods and persistent volumes have in common. */
type Iscsi = Omit<ISCSIVolumeSource, "secretRef"> & { readonly secretRef?: object };

export function validateIscsi(source: Iscsi, path: string): FieldError[] {
  const { iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  const errors = [...missing(source, path, "targetPortal", "iqn"), ...validateLun(lun, path)];
  if (iqn !== "" && !isName(iqn)) errors.push(invalid(`${path}.iqn`, iqn, "must be valid format"));
  if ((chapAuthDiscovery || chapAuthSession) && secretRef === undefined) errors.push(required(`${path}.secretRef`));
  // v1.21 spells it so.
  if (initiatorName !== undefined && !isName(initiatorName)) {
    errors.push(invalid(`${path}.initiatorname`, initiatorName, "must be valid format"));
  }
  return errors;
}

const nameCharsMax = 4096;

/** One of three formats; the character after the first three is checked in the first format only. */
const isName = (text: string): boolean =>
  text.length <= nameCharsMax &&
  (/^iqn(?:.*iqn)?\.\d{4}-\d{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+$/.test(text) ||
    /^eui.[a-zA-Z0-9]{16}$/.test(text) ||
    /^naa.[a-zA-Z0-9]{32}$/.test(text));
