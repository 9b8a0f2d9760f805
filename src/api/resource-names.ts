/** Names of resources and their amounts: which there are, and what each may be. */

import { isQualifiedName } from "../machinery/meta/names.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { each, type FieldErrors, invalid, noErrors } from "../machinery/status/field-error.ts";
import { parseQuantity } from "../machinery/values/quantity.ts";

export const standardContainerResources = new Set(["cpu", "memory", "ephemeral-storage"]);
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

function validateQuantityNotNegative(value: string, path: string): FieldErrors {
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

/** Whether the amount is a multiple of the size of a page, which is part of the name; nothing is one too. */
export function isWholePages(name: string, value: string): boolean {
  const size = parseQuantity(name.slice("hugepages-".length));
  const amount = parseQuantity(value);
  return size !== undefined && amount !== undefined && size.nano > 0n && amount.nano % size.nano === 0n;
}

/** By which errors about parts of pages are known. */
export const wholePages = "must be a multiple of the page size of";

export function validateHugePages(name: string, value: string, path: string): FieldErrors {
  return isWholePages(name, value) ? noErrors : [invalid(path, value, `${wholePages} ${name}`)];
}

/** Whether the resource may be overcommitted. */
export const mayOvercommit = (name: string, environment: Environment) =>
  !isHugePages(name) && isNativeResource(name, environment);
