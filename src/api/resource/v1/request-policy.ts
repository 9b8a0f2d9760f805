/** How shares of a capacity may be requested: by a list of amounts or by a range, and never more than there is. */

import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  required,
  tooMany,
} from "../../../machinery/status/field-error.ts";
import { parseQuantity } from "../../../machinery/values/quantity.ts";
import type { CapacityRequestPolicy } from "./device.ts";

const valuesMax = 10;

type Range = NonNullable<CapacityRequestPolicy["validRange"]>;

/** Quantities were read before rules are checked. */
const nano = (text: string): bigint => parseQuantity(text)?.nano ?? 0n;

/** `value` is all that the device has. Paths are relative to the policy. */
export function validateRequestPolicy(policy: CapacityRequestPolicy, value: string): FieldErrors {
  const { validValues = [], validRange } = policy;
  const usual = policy.default ?? undefined;
  if (validValues.length > 0 && validRange) return [forbidden("", "must not have both validValues and validRange")];
  if (validValues.length === 0 && !validRange) return noErrors;
  if (usual === undefined) return [required("default", "must be given with validValues or validRange")];
  return validRange ? validateRange(validRange, usual, value) : validateValues(validValues, usual, value);
}

function validateValues(values: readonly string[], usual: string, value: string): FieldErrors {
  if (values.length > valuesMax) return [tooMany("validValues", values.length, valuesMax)];
  const errors: FieldError[] = [];
  values.forEach((one, at) => {
    const path = `validValues[${at}]`;
    if (at > 0 && nano(one) <= nano(values[at - 1] ?? one)) errors.push(invalid(path, one, "must be in rising order"));
    if (nano(one) > nano(value)) errors.push(invalid(path, one, `must be at most the capacity of ${value}`));
  });
  if (!values.some((one) => nano(one) === nano(usual))) {
    errors.push(invalid("validValues", usual, "must have the default among them"));
  }
  return errors;
}

function validateRange({ min, max, step }: Range, usual: string, value: string): FieldErrors {
  if (min === undefined) return [required("validRange.min")];
  const errors: FieldError[] = [];
  const refuse = (member: string, amount: string, text: string): void => {
    errors.push(invalid(`validRange.${member}`, amount, text));
  };
  if (nano(min) > nano(value)) refuse("min", min, `must be at most the capacity of ${value}`);
  if (nano(usual) < nano(min)) refuse("default", usual, "must not be less than min");
  if (max !== undefined) {
    if (nano(min) > nano(max)) refuse("max", max, "must not be less than min");
    if (nano(max) > nano(value)) refuse("max", max, `must be at most the capacity of ${value}`);
    if (nano(usual) > nano(max)) refuse("default", usual, "must not be more than max");
  }
  if (step === undefined) return errors;
  if (nano(step) <= 0n) {
    refuse("step", step, "must be greater than 0");
    return errors;
  }
  if (nano(min) + nano(step) > nano(value)) refuse("step", step, "must leave at least one step within the capacity");
  for (const amount of max === undefined ? [usual] : [usual, max]) {
    if ((nano(amount) - nano(min)) % nano(step) !== 0n) refuse("step", amount, "must be a number of steps above min");
  }
  return errors;
}
