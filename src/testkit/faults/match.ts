/** Whether a fault hits a request. */

import { seededRandom } from "../../base/seeded-random.ts";
import type { SeenRequest } from "../../http/contract/interventions.ts";
import type { FaultMatch } from "./contract.ts";

const isOneOf = (wanted: string | readonly string[] | undefined, ...values: readonly string[]): boolean =>
  wanted === undefined || (typeof wanted === "string" ? [wanted] : wanted).some((each) => values.includes(each));

export function matches(match: FaultMatch, request: SeenRequest): boolean {
  const { resource, group } = request;
  return (
    isOneOf(match.user, request.user.name) &&
    isOneOf(match.verb, request.verb) &&
    isOneOf(match.resource, resource, `${resource}.${group}`) &&
    isOneOf(match.subresource, request.subresource) &&
    isOneOf(match.name, request.name) &&
    isOneOf(match.namespace, request.namespace)
  );
}

/** Counts what matches, and says whether this one is hit. */
export function createTurns({ nth, every, probability, seed = 1 }: FaultMatch): () => boolean {
  const random = seededRandom(seed);
  let count = 0;
  return () => {
    count++;
    if (nth !== undefined && count !== nth) return false;
    if (every !== undefined && count % every !== 0) return false;
    return probability === undefined || random() < probability;
  };
}
