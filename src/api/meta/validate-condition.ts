/** Checks of conditions in the common form. */

import { isQualifiedName } from "../../machinery/meta/names.ts";
import type { FieldError } from "../../machinery/status/field-error.ts";
import { duplicate, invalid, notSupported, required, tooLong } from "../../machinery/status/field-error.ts";
import type { Condition } from "../common-fields.ts";

export const reasonBytesMax = 1024;
export const messageBytesMax = 32 * 1024;

const statuses = ["False", "True", "Unknown"];
const reasonForm = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

export function validateConditions(conditions: readonly Condition[], path: string): FieldError[] {
  const types = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const at = `${path}[${index}]`;
    const errors = validateCondition(condition, at);
    if (types.has(condition.type)) errors.push(duplicate(`${at}.type`, condition.type));
    types.add(condition.type);
    return errors;
  });
}

function validateCondition(condition: Condition, path: string): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  const errors = isQualifiedName(type).map((problem) => invalid(`${path}.type`, type, problem));
  if (!statuses.includes(status)) errors.push(notSupported(`${path}.status`, status, statuses));
  if (observedGeneration < 0) {
    errors.push(invalid(`${path}.observedGeneration`, observedGeneration, "must be greater than or equal to 0"));
  }
  if (lastTransitionTime === null) errors.push(required(`${path}.lastTransitionTime`));
  if (reason === "") errors.push(required(`${path}.reason`));
  else if (Buffer.byteLength(reason) > reasonBytesMax) errors.push(tooLong(`${path}.reason`, reason, reasonBytesMax));
  else if (!reasonForm.test(reason)) errors.push(invalid(`${path}.reason`, reason, "must be one word"));
  if (Buffer.byteLength(message) > messageBytesMax) errors.push(tooLong(`${path}.message`, message, messageBytesMax));
  return errors;
}
