/** A ConfigMap holds configuration that pods and people read by key. */

import { isConfigMapKey } from "../../../machinery/meta/names.ts";
import { bool, bytes, elided, map, optional, type Static, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  problemsFoundMax,
  tooLong,
} from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

/** What all values of a ConfigMap or Secret may weigh together. */
export const dataBytesMax = 1024 * 1024;

export const ConfigMap = kind({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  scope: "Namespaced",
  shortNames: ["cm"],
  doc: "A ConfigMap holds configuration that pods and people read by key.",
  fields: {
    data: elided(map(string())).at(2).doc("Texts by key; a key must not also be in binaryData."),
    binaryData: elided(map(bytes())).at(3).doc("Bytes by key, base64 in JSON; a key must not also be in data."),
    immutable: optional(bool()).at(4).doc("Whether data is protected from changes; cannot be unset. Default: false."),
  },
  validate: (object) => validateConfigMap(object),
  validateUpdate: (object, old) => [...validateFrozenData(object, old), ...validateConfigMap(object)],
  columns: (column) => [
    nameColumn,
    column("Data", (object) => keyCount(object.data) + keyCount(object.binaryData), {
      description: "How many keys there are.",
    }),
    ageColumn,
  ],
});
export type ConfigMap = Static<typeof ConfigMap>;

const keyCount = (data: Record<string, unknown> | undefined) => Object.keys(data ?? {}).length;

function validateConfigMap(object: { data?: Record<string, string>; binaryData?: Record<string, string> }) {
  const errors: FieldError[] = [];
  let total = 0;
  const { data = {}, binaryData = {} } = object;
  for (const key of Object.keys(data)) {
    if (errors.length >= problemsFoundMax) return errors;
    for (const problem of isConfigMapKey(key)) errors.push(invalid(`data[${key}]`, key, problem));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalid(`data[${key}]`, key, "must not be in binaryData as well"));
    }
    total += Buffer.byteLength(data[key] ?? "");
  }
  for (const key of Object.keys(binaryData)) {
    if (errors.length >= problemsFoundMax) return errors;
    for (const problem of isConfigMapKey(key)) errors.push(invalid(`binaryData[${key}]`, key, problem));
    total += base64Bytes(binaryData[key] ?? "");
  }
  if (total > dataBytesMax) errors.push(tooLong("[]", "", dataBytesMax));
  return errors;
}

export const validateKey = (key: string, path: string): FieldError[] =>
  isConfigMapKey(key).map((problem) => invalid(path, key, problem));

/** An object that was made immutable stays so, and so does its data. */
export function validateFrozenData(
  object: { immutable?: boolean; data?: unknown; binaryData?: unknown },
  old: { immutable?: boolean; data?: unknown; binaryData?: unknown },
): FieldError[] {
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (object.immutable !== true) errors.push(forbidden("immutable", "field is immutable when `immutable` is set"));
  for (const field of ["data", "binaryData"] as const) {
    if (!sameValue(object[field], old[field])) {
      errors.push(forbidden(field, "field is immutable when `immutable` is set"));
    }
  }
  return errors;
}

/** How many bytes a canonical base64 text stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}
