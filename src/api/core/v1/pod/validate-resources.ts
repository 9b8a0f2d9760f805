/** Checks of resource names and amounts. */

import { isQualifiedName } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import {
  addTo,
  each,
  forbidden,
  invalid,
  noErrors,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { compareAmounts, parseQuantity } from "../../../../machinery/values/quantity.ts";

const standardContainerResources = new Set(["cpu", "memory", "ephemeral-storage"]);
/** Resources of a namespace's quota or of nodes, besides those of containers. */
const standardResources = new Set([
  ...standardContainerResources,
  "storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
  "requests.storage",
]);
/** Resources that only come in whole numbers. */
const integerResources = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");
/** Resources without a domain, or in the product's own domain. */
export const isNativeResource = (name: string, { vocabulary }: Environment): boolean =>
  !name.includes("/") || name.includes(`${vocabulary.word("orch.io")}/`);
/** Extended resources: whole numbers, and a limit is also the request. */
export function isExtendedResource(name: string, environment: Environment): boolean {
  if (isNativeResource(name, environment) || name.startsWith("requests.")) return false;
  return isQualifiedName(`requests.${name}`).length === 0;
}

/** A resource's name as containers may use it. */
export function validateContainerResourceName(name: string, path: string, environment: Environment): FieldErrors {
  if (standardContainerResources.has(name)) return noErrors;
  const errors = validateResourceName(name, path);
  if (errors.length > 0) return errors;
  if (!name.includes("/")) {
    return isHugePages(name) ? noErrors : [invalid(path, name, "must be a standard resource for containers")];
  }
  return isNativeResource(name, environment) || isExtendedResource(name, environment)
    ? noErrors
    : [invalid(path, name, "doesn't follow extended resource name standard")];
}

/** Whether a resource without a domain is one that is known. */
export const isStandardResource = (name: string): boolean =>
  standardResources.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");

/** A resource's name anywhere: qualified, and known where it has no domain. */
export function validateResourceName(name: string, path: string): FieldErrors {
  const errors = each(isQualifiedName(name), path, name);
  if (errors.length > 0 || name.includes("/")) return errors;
  return isStandardResource(name)
    ? noErrors
    : [invalid(path, name, "must be a standard resource type or fully qualified")];
}

export function validateQuantityNotNegative(value: string, path: string): FieldErrors {
  return value.startsWith("-") ? [invalid(path, value, "must be greater than or equal to 0")] : noErrors;
}

export function validateResourceAmount(
  name: string,
  value: string,
  path: string,
  environment: Environment,
): FieldErrors {
  const errors = validateQuantityNotNegative(value, path);
  if (!integerResources.has(name) && !isExtendedResource(name, environment)) return errors;
  return isWhole(value) ? errors : [...errors, invalid(path, value, "must be an integer")];
}

function isWhole(value: string): boolean {
  const parsed = parseQuantity(value);
  return parsed !== undefined && parsed.nano % 1_000_000_000n === 0n;
}

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

/** Whether the resource may be overcommitted. */
export const mayOvercommit = (name: string, environment: Environment) =>
  !isHugePages(name) && isNativeResource(name, environment);
