/** Checks of members that sources of volumes have in common. */

import { isDns1123Label } from "../../../../machinery/meta/names.ts";
import { type FieldError, invalid, required } from "../../../../machinery/status/field-error.ts";

const partitionMax = 255;
const lunMax = 255;

/** Those of `fields` that are empty. */
export const missing = (source: object, path: string, ...fields: string[]): FieldError[] =>
  fields
    .filter((field) => isEmpty((source as Record<string, unknown>)[field]))
    .map((field) => required(`${path}.${field}`));
const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);

export const validatePartition = (value: number | undefined, path: string): FieldError[] =>
  value !== undefined && (value < 0 || value > partitionMax)
    ? [invalid(`${path}.partition`, value, `must be between 0 and ${partitionMax}, inclusive`)]
    : [];

export const validateLun = (value: number, path: string): FieldError[] =>
  value < 0 || value > lunMax ? [invalid(`${path}.lun`, value, `must be between 0 and ${lunMax}, inclusive`)] : [];

export const validateLabelName = (text: string | undefined, path: string): FieldError[] =>
  text ? isDns1123Label(text).map((problem) => invalid(path, text, problem)) : [];

/** The secret of a volume has a name. Each kind of volume declares whether it also uses a namespace. */
export const validateSecretName = (ref: { readonly name?: string } | undefined, path: string): FieldError[] =>
  ref && !ref.name ? [required(`${path}.secretRef.name`)] : [];
