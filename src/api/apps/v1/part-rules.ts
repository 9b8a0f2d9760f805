/** Rules of fields that are a number of pods or a part of them. */

import { isPercent } from "../../../machinery/meta/names.ts";
import { type FieldError, invalid } from "../../../machinery/status/field-error.ts";

/** A number or a percentage. */
export function validatePart(value: number | string | undefined, path: string): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === "string") return isPercent(value).map((problem) => invalid(path, value, problem));
  return value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}

export function validateAtMostAll(value: number | string | undefined, path: string): FieldError[] {
  return percentOf(value) > 100 ? [invalid(path, value, "must not be greater than 100%")] : [];
}

const percentOf = (value: number | string | undefined) =>
  typeof value === "string" && isPercent(value).length === 0 ? Number.parseInt(value, 10) : 0;

/** Whether a value is zero: 0, 0%, or a text that is not a number. */
export function isNothing(value: number | string | undefined): boolean {
  if (typeof value !== "string") return (value ?? 0) === 0;
  const digits = isPercent(value).length === 0 ? value.slice(0, -1) : value;
  return !/^[+-]?[0-9]+$/.test(digits) || Number(digits) === 0;
}
