/** What one pass over a namespace deletes, in which order, and what its results mean. */

import type { AnyObject, DiscoveredResource } from "../../client/contract.ts";
import type { Pass } from "./reconcile.ts";

/** Resources that are emptied at the same time, and what follows. */
export interface Emptying {
  readonly resources: readonly DiscoveredResource[];
  /** False: their objects are only counted. */
  readonly deletes: boolean;
  /** What follows from all results so far; undefined: the pass ends. */
  next?(pass: Pass): Emptying | undefined;
}

interface EmptyingOptions {
  /** The group of network policies. */
  readonly policyGroup: string;
  /** Nothing else is deleted, or even counted, while a pod is there. */
  readonly podsAlone: boolean;
}

/** Pods first, network policies last: a policy must not be deleted while a pod still runs. */
export function planEmptying(discovered: readonly DiscoveredResource[], options: EmptyingOptions): Emptying {
  const { policyGroup, podsAlone } = options;
  const isPods = ({ group, resource }: DiscoveredResource) => group === "" && resource === "pods";
  const isPolicies = ({ group, resource }: DiscoveredResource) =>
    group === policyGroup && resource === "networkpolicies";
  const resources = discovered.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes("list") && verbs.includes("delete"),
  );
  const policies = (pass: Pass): Emptying => ({
    resources: resources.filter(isPolicies),
    deletes: !pass.remaining.has("pods"),
  });
  const others = resources.filter((each) => !isPods(each) && !isPolicies(each));
  return {
    resources: resources.filter(isPods),
    deletes: true,
    next: ({ remaining, deletionFailures }) =>
      podsAlone && (remaining.size > 0 || deletionFailures.length > 0)
        ? undefined
        : { resources: others, deletes: true, next: policies },
  };
}

/** The outcome for one resource. */
export interface Visited {
  /** "configmaps", "deployments.apps". */
  readonly name: string;
  /** Whether there were objects before any was deleted. */
  readonly found: boolean;
  readonly remaining: readonly AnyObject[];
  /** Undefined: its objects could be listed and deleted. */
  readonly failure: string | undefined;
}

export const nameOf = ({ group, resource }: DiscoveredResource): string =>
  group === "" ? resource : `${resource}.${group}`;

/** `discoveryFailures`: group versions whose resources are not known. */
export function passOf(visits: readonly Visited[], discoveryFailures: readonly string[]): Pass {
  const finalizers = new Map<string, number>();
  for (const { remaining } of visits)
    for (const { metadata } of remaining)
      for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  const remaining = visits.filter((visited) => visited.remaining.length > 0);
  return {
    found: visits.filter(({ found }) => found).length,
    discoveryFailures,
    deletionFailures: visits.flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name}: ${failure}`])),
    remaining: new Map(remaining.map(({ name, remaining: { length } }) => [name, length])),
    finalizers,
  };
}
