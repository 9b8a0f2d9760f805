/** What the containers of a pod request together, and the requests of a pod that has resources of its own. */

import { addQuantities, compareQuantities, type Quantity, quantityOf } from "../../../../machinery/values/quantity.ts";
import { isHugePages } from "../../../resource-names.ts";
import type { Container } from "./container.ts";
import type { PodSpec } from "./spec.ts";

/** Resources that a pod may have as a whole. */
export const isSharedResource = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name);

const zero = quantityOf("0");

type Column = "requests" | "limits";

export const requestsOfContainers = (spec: PodSpec, name: string): Quantity => sumOfContainers(spec, "requests", name);
export const limitsOfContainers = (spec: PodSpec, name: string): Quantity => sumOfContainers(spec, "limits", name);

/** Init containers run one after another, those that always restart also beside all later ones. */
function sumOfContainers({ containers, initContainers }: PodSpec, column: Column, name: string): Quantity {
  const of = ({ resources }: Container) => quantityOf(resources?.[column]?.[name] ?? "0");
  let beside = zero;
  let most = zero;
  for (const container of initContainers ?? []) {
    const now = addQuantities(beside, of(container));
    if (container.restartPolicy === "Always") beside = now;
    if (compareQuantities(now, most) > 0) most = now;
  }
  const sum = (containers ?? []).reduce((total, container) => addQuantities(total, of(container)), beside);
  return compareQuantities(sum, most) > 0 ? sum : most;
}

/** What the pod requests as a whole, or else what its containers do. */
export function requestsOfPod(spec: PodSpec, name: string): Quantity {
  const own = spec.resources?.requests?.[name];
  return own === undefined ? requestsOfContainers(spec, name) : quantityOf(own);
}

const allContainers = ({ containers, initContainers }: PodSpec): Container[] => [
  ...(containers ?? []),
  ...(initContainers ?? []),
];

/** The shared resources that containers of the pod name in a column. */
function sharedResources(spec: PodSpec, column: Column): ReadonlySet<string> {
  const names = allContainers(spec).flatMap(({ resources }) => Object.keys(resources?.[column] ?? {}));
  return new Set(names.filter(isSharedResource));
}

/** Huge pages that containers may use count for the pod as a whole, so that it has room for all of them. */
export const limitedHugePages = (spec: PodSpec): string[] => [...sharedResources(spec, "limits")].filter(isHugePages);

/**
 * Fills in the resources of a pod that names some for itself: the huge pages of its containers, as requests what its containers request or
 * else its own limits, and in `fillsLimits` the limits of its containers.
 */
export function fillPodResources(spec: PodSpec, { fillsLimits }: { readonly fillsLimits: boolean }): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const requests: Record<string, string> = { ...resources.requests };
  const limits: Record<string, string> = { ...resources.limits };
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return;
  for (const name of limitedHugePages(spec)) {
    if (requests[name] === undefined) limits[name] ??= limitsOfContainers(spec, name).text;
  }
  if (Object.keys(limits).length > 0) {
    for (const name of sharedResources(spec, "requests")) {
      // Huge pages cannot be shared out beyond the limit, so the limit is also the request.
      if (!isHugePages(name)) requests[name] ??= requestsOfContainers(spec, name).text;
    }
    for (const [name, limit] of Object.entries(limits)) if (isSharedResource(name)) requests[name] ??= limit;
  } else if (fillsLimits) {
    for (const name of ["cpu", "memory"]) {
      const isLimited = ({ resources: own }: Container) => own?.limits?.[name] !== undefined;
      if (allContainers(spec).every(isLimited)) limits[name] = limitsOfContainers(spec, name).text;
    }
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
  if (Object.keys(limits).length > 0) resources.limits = limits;
}
