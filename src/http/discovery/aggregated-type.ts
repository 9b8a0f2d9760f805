/** Whether a client asks for aggregated discovery, and in which encoding. */

import type { Environment } from "../../machinery/schema/environment.ts";
import { covers, parseAccept } from "../negotiation/accept.ts";
import type { Chosen } from "../negotiation/choose.ts";
import type { Offer } from "../negotiation/media.ts";

export const aggregatedKind = "APIGroupDiscoveryList";
export type AggregatedVersion = "v2" | "v2beta1";

/** The versions of the document that a level has. */
export const aggregatedVersionsOf = ({ has }: Pick<Environment, "has">): readonly AggregatedVersion[] => [
  ...(has("aggregatedDiscovery") ? (["v2"] as const) : []),
  ...(has("betaAggregatedDiscovery") ? (["v2beta1"] as const) : []),
];

/**
 * As in the reference, an alternative with these parameters wins over all others, whatever its position and quality.
 * Undefined: there is none.
 */
export function chooseAggregated(
  accept: string | undefined,
  offer: Offer,
  group: string,
  versions: readonly AggregatedVersion[],
): { readonly chosen: Chosen; readonly version: AggregatedVersion } | undefined {
  if (accept === undefined || !accept.includes(aggregatedKind)) return undefined;
  for (const alternative of parseAccept(accept)) {
    const { parameters } = alternative;
    const version = versions.find((one) => one === parameters.get("v"));
    if (version === undefined || parameters.get("g") !== group || parameters.get("as") !== aggregatedKind) continue;
    const found = offer.find(({ type }) => covers(alternative, type));
    if (found === undefined) continue;
    const pretty = parameters.get("pretty") === "1";
    const representation = { encoding: found.encoding, view: "", viewVersion: "", pretty } as const;
    const type = `${found.type};g=${group};v=${version};as=${aggregatedKind}`;
    return { chosen: { representation, type }, version };
  }
  return undefined;
}
