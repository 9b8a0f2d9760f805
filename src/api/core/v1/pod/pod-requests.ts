/** What the containers of a pod request together, and the requests of a pod that has resources of its own. */

import { addQuantities, compareQuantities, type Quantity, quantityOf } from "../../../../machinery/values/quantity.ts";
import { isHugePages } from "../../../resource-names.ts";
import type { Container } from "./container.ts";
import type { PodSpec } from "./spec.ts";

/** Resources that a pod may have as a whole. */
export const isSharedResource = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name);

const zero = quantityOf("0");

/** Init containers run one after another, those that always restart also beside all later ones. */
export function requestsOfContainers({ containers, initContainers }: PodSpec, name: string): Quantity {
  const of = ({ resources }: Container) => quantityOf(resources?.requests?.[name] ?? "0");
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

/** The shared resources that containers of the pod request. */
export function requestedResources({ containers, initContainers }: PodSpec): ReadonlySet<string> {
  const all = [...(containers ?? []), ...(initContainers ?? [])];
  return new Set(all.flatMap(({ resources }) => Object.keys(resources?.requests ?? {})).filter(isSharedResource));
}

/** A pod with limits requests what its containers do together, or else its limit. */
export function fillPodRequests(spec: PodSpec): void {
  const limits = Object.entries(spec.resources?.limits ?? {});
  if (spec.resources === undefined || limits.length === 0) return;
  const requests: Record<string, string> = { ...spec.resources.requests };
  for (const name of requestedResources(spec)) requests[name] ??= requestsOfContainers(spec, name).text;
  for (const [name, limit] of limits) if (isSharedResource(name)) requests[name] ??= limit;
  spec.resources.requests = requests;
}
