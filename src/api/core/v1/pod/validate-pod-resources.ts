/** Resources that a pod has as a whole, and the claims of its containers. */

import { isDns1123Label } from "../../../../machinery/meta/names.ts";
import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  duplicate,
  each,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notFoundValue,
  notSupported,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { compareAmounts, compareQuantities, quantityOf } from "../../../../machinery/values/quantity.ts";
import { validateResourceName } from "../../../resource-names.ts";
import type { Container, ResourceRequirements } from "./container.ts";
import { isSharedResource, limitedHugePages, limitsOfContainers, requestsOfContainers } from "./pod-requests.ts";
import { PodResourceClaim, type ResourceClaim } from "./resource-claims.ts";
import { PodSpec } from "./spec.ts";
import { validateRequirements } from "./validate-resources.ts";

export const podResourceRelations: readonly Relation[] = [
  on(PodSpec, validatePodResources, { since: "1.32" }),
  on(PodSpec, validateClaims, { since: "1.26" }),
  on(
    PodResourceClaim,
    ({ resourceClaimName, resourceClaimTemplateName }) =>
      (resourceClaimName === undefined) === (resourceClaimTemplateName === undefined)
        ? [invalid("", "", "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")]
        : noErrors,
    { since: "1.26" },
  ),
];

function validatePodResources(spec: PodSpec, environment: Environment): FieldErrors {
  const { resources } = spec;
  if (resources === undefined) return noErrors;
  return together(
    resources.claims?.length ? [forbidden("resources.claims", "may not be set for the pod as a whole")] : noErrors,
    validateRequirements(resources, "resources", environment, validatePodResourceName),
    validateSum(spec, resources),
    validateHugePagesTogether(spec, resources),
    validateEachLimit(spec.containers ?? [], resources),
  );
}

function validatePodResourceName(name: string, path: string): FieldErrors {
  const errors = validateResourceName(name, path);
  if (errors.length > 0 || isSharedResource(name)) return errors;
  return [notSupported(path, name, ["cpu", "memory", "hugepages-*"])];
}

/** The pod requests at least what its containers do together, of the resources that it names. */
function validateSum(spec: PodSpec, { requests = {} }: ResourceRequirements): FieldErrors {
  return ofEach(Object.entries(requests), ([name, amount]) =>
    compareQuantities(quantityOf(amount), requestsOfContainers(spec, name)) < 0
      ? [invalid(`resources.requests[${name}]`, amount, "must be greater than or equal to the sum of the containers")]
      : noErrors,
  );
}

function validateHugePagesTogether(spec: PodSpec, { limits = {} }: ResourceRequirements): FieldErrors {
  return ofEach(limitedHugePages(spec), (name) => {
    const limit = limits[name];
    if (limit === undefined || compareQuantities(quantityOf(limit), limitsOfContainers(spec, name)) >= 0) {
      return noErrors;
    }
    return [invalid(`resources.limits[${name}]`, limit, "must be greater than or equal to the sum of the containers")];
  });
}

/** Path and order are those of v1.35. */
function validateEachLimit(containers: readonly Container[], { limits = {} }: ResourceRequirements): FieldErrors {
  return ofEach(containers, ({ resources }, index) =>
    ofEach(Object.entries(resources?.limits ?? {}), ([name, amount]) => {
      const limit = limits[name];
      if (limit === undefined || compareAmounts(amount, limit) <= 0) return noErrors;
      return [
        invalid(`resources.containers[${index}][${name}].limits`, amount, "must not exceed the limit of the pod"),
      ];
    }),
  );
}

/** Containers use claims that the pod has. */
function validateClaims(spec: PodSpec): FieldErrors {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  return together(
    validateUse(spec.resources?.claims, known, "resources.claims"),
    ofEach(["containers", "initContainers"] as const, (kind) =>
      ofEach(spec[kind], ({ resources }, index) =>
        validateUse(resources?.claims, known, `${kind}[${index}].resources.claims`),
      ),
    ),
  );
}

function validateUse(
  claims: readonly ResourceClaim[] | undefined,
  known: ReadonlySet<string>,
  path: string,
): FieldErrors {
  if (claims === undefined) return noErrors;
  const whole = new Set<string>();
  const parts = new Set<string>();
  return ofEach(claims, ({ name, request = "" }, index) => {
    if (name === "") return noErrors; // that is reported
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    const part = `${name}/${request}`;
    if (request !== "" && !whole.has(name)) errors.push(...each(isDns1123Label(request), `${at}.request`, request));
    const isRepeated =
      whole.has(name) || (request === "" ? [...parts].some((one) => one.startsWith(`${name}/`)) : parts.has(part));
    if (isRepeated) errors.push(duplicate(at, request === "" || whole.has(name) ? name : part));
    if (request === "") whole.add(name);
    else parts.add(part);
    if (!known.has(name)) errors.push(notFoundValue(at, name));
    return errors;
  });
}
