/** Resources that a pod has as a whole, and the claims of its containers. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import {
  duplicate,
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
import { validateQuantityNotNegative } from "../resource-names.ts";
import type { Container, ResourceRequirements } from "./container.ts";
import { isSharedResource, requestsOfContainers } from "./pod-requests.ts";
import { PodResourceClaim, type ResourceClaim } from "./resource-claims.ts";
import { PodSpec } from "./spec.ts";

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

const lists = ["limits", "requests"] as const;

function validatePodResources(spec: PodSpec): FieldErrors {
  const { resources } = spec;
  if (resources === undefined) return noErrors;
  return together(
    resources.claims?.length ? [forbidden("resources.claims", "may not be set for the pod as a whole")] : noErrors,
    ofEach(lists, (list) =>
      ofEach(Object.entries(resources[list] ?? {}), ([name, amount]) => {
        const at = `resources.${list}[${name}]`;
        return isSharedResource(name)
          ? validateQuantityNotNegative(amount, at)
          : [notSupported(at, name, ["cpu", "memory", "hugepages-*"])];
      }),
    ),
    ofEach(Object.entries(resources.requests ?? {}), ([name, amount]) => {
      const limit = resources.limits?.[name];
      if (!isSharedResource(name) || limit === undefined || compareAmounts(amount, limit) <= 0) return noErrors;
      return [invalid("resources.requests", amount, `must be less than or equal to ${name} limit`)];
    }),
    validateSum(spec, resources),
    validateEachLimit(spec.containers ?? [], resources),
  );
}

/** The pod has at least what its containers request together. */
function validateSum(spec: PodSpec, { requests = {} }: ResourceRequirements): FieldErrors {
  return ofEach(Object.entries(requests), ([name, amount]) =>
    isSharedResource(name) && compareQuantities(quantityOf(amount), requestsOfContainers(spec, name)) < 0
      ? [invalid(`resources.requests[${name}]`, amount, "must be greater than or equal to the sum of the containers")]
      : noErrors,
  );
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
    const errors: FieldError[] = [];
    const part = `${name}/${request}`;
    const isRepeated =
      whole.has(name) || (request === "" ? [...parts].some((one) => one.startsWith(`${name}/`)) : parts.has(part));
    if (isRepeated) errors.push(duplicate(`${path}[${index}]`, request === "" ? name : part));
    if (request === "") whole.add(name);
    else parts.add(part);
    if (!known.has(name)) errors.push(notFoundValue(`${path}[${index}]`, name));
    return errors;
  });
}
