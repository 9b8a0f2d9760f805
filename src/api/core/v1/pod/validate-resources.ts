/** Relations between what a container requests and what it may use. */

import type { Environment } from "../../../../machinery/schema/schema.ts";
import {
  addTo,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import {
  isHugePages,
  mayOvercommit,
  standardContainerResources,
  validateContainerResourceName,
  validateResourceAmount,
} from "../resource-names.ts";

const nothing: Readonly<Record<string, string>> = {};

interface Requirements {
  readonly limits?: Record<string, string>;
  readonly requests?: Record<string, string>;
}

export function validateResourceRequirements(
  requirements: Requirements | undefined,
  path: string,
  environment: Environment,
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
    addTo(errors, validateAmount(name, limits[name] as string, path, "limits", environment)); // one of its own keys
    note(name);
  }
  for (const name of Object.keys(requests)) {
    const value = requests[name] as string; // one of its own keys
    addTo(errors, validateAmount(name, value, path, "requests", environment));
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
  }
  if (huge && !cpuOrMemory) errors.push(forbidden(path, "HugePages require cpu or memory"));
  return errors;
}

function validateAmount(
  name: string,
  value: string,
  path: string,
  list: "limits" | "requests",
  environment: Environment,
): FieldErrors {
  // Most amounts; the rest is for the others.
  if (standardContainerResources.has(name) && !value.startsWith("-")) return noErrors;
  const at = `${path}.${list}[${name}]`;
  return together(
    validateContainerResourceName(name, at, environment),
    validateResourceAmount(name, value, at, environment),
  );
}
