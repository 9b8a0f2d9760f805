/** Relations between what a container requests and what it may use. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  addTo,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  problemsFoundMax,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import { has } from "../../../features.ts";
import {
  isHugePages,
  mayOvercommit,
  standardContainerResources,
  validateContainerResourceName,
  validateHugePages,
  validateResourceAmount,
} from "../../../resource-names.ts";

const nothing: Readonly<Record<string, string>> = {};

interface Requirements {
  readonly limits?: Record<string, string>;
  readonly requests?: Record<string, string>;
}

type ValidateName = (name: string, path: string, environment: Environment) => FieldErrors;

export const validateResourceRequirements = (
  requirements: Requirements | undefined,
  path: string,
  environment: Environment,
): FieldErrors => validateRequirements(requirements, path, environment, validateContainerResourceName);

/** `validateName` says which resources there may be: a container has others than a pod as a whole. */
export function validateRequirements(
  requirements: Requirements | undefined,
  path: string,
  environment: Environment,
  validateName: ValidateName,
): FieldErrors {
  const limits = requirements?.limits ?? nothing;
  const requests = requirements?.requests ?? nothing;
  const errors: FieldError[] = [];
  let cpuOrMemory = false;
  let huge = false;
  const note = (name: string) => {
    cpuOrMemory ||= name === "cpu" || name === "memory";
    huge ||= isHugePages(name);
  };
  for (const name of Object.keys(limits)) {
    addTo(errors, validateAmount(name, limits[name] as string, `${path}.limits`, environment, validateName)); // one of its own keys
    note(name);
    if (errors.length >= problemsFoundMax) return errors;
  }
  for (const name of Object.keys(requests)) {
    const value = requests[name] as string; // one of its own keys
    addTo(errors, validateAmount(name, value, `${path}.requests`, environment, validateName));
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (limit !== undefined) {
      const order = compareAmounts(value, limit);
      if (order !== 0 && !mayOvercommit(name, environment)) {
        errors.push(invalid(`${path}.requests`, value, `must be equal to ${name} limit`));
      } else if (order > 0) {
        errors.push(invalid(`${path}.requests`, value, `must be less than or equal to ${name} limit`));
      }
    } else if (!mayOvercommit(name, environment)) {
      errors.push(required(`${path}.limits`, "Limit must be set for non overcommitable resources"));
    }
    note(name);
    if (errors.length >= problemsFoundMax) return errors;
  }
  if (huge && !cpuOrMemory) errors.push(forbidden(path, "HugePages require cpu or memory"));
  return errors;
}

function validateAmount(
  name: string,
  value: string,
  list: string,
  environment: Environment,
  validateName: ValidateName,
): FieldErrors {
  // Most amounts of containers; the rest is for the others.
  const isPlain = validateName === validateContainerResourceName && standardContainerResources.has(name);
  if (isPlain && !value.startsWith("-")) return noErrors;
  const at = `${list}[${name}]`;
  return together(
    validateName(name, at, environment),
    validateResourceAmount(name, value, at, environment),
    isHugePages(name) && has(environment, "checkedHugePages") ? validateHugePages(name, value, at) : noErrors,
  );
}
