/** Phrases of violations: one or several containers, the pod, quoted names. */

import type { CheckedContainer, CheckedContext, CheckedPod } from "./contract.ts";

export const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ");
export const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many);
export const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];
export const sorted = (values: readonly string[]): string[] => distinct(values).sort();

/** `container "a"`, `containers "a", "b"`. */
export const containersNamed = (names: readonly string[]): string =>
  `${plural(names.length, "container", "containers")} ${quoted(names)}`;

/** The names of the containers that fulfil a condition. */
export const namesWhere = (pod: CheckedPod, holds: (container: CheckedContainer) => boolean): string[] =>
  pod.containers.filter(holds).map(({ name = "" }) => name);

/** Who sets something: `pod`, `container "a"`, or `pod and containers "a", "b"`. */
function setters(isPod: boolean, names: readonly string[]): string {
  if (names.length === 0) return "pod";
  return isPod ? `pod and ${containersNamed(names)}` : containersNamed(names);
}

/** The pod and the containers whose context fulfils a condition; undefined: none does. */
export function settersWhere(pod: CheckedPod, holds: (context: CheckedContext) => boolean): string | undefined {
  const { securityContext } = pod.spec;
  const isPod = securityContext !== undefined && holds(securityContext);
  const names = namesWhere(
    pod,
    (container) => container.securityContext !== undefined && holds(container.securityContext),
  );
  return isPod || names.length > 0 ? setters(isPod, names) : undefined;
}
