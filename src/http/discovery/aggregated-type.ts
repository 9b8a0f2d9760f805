/** Whether a client asks for aggregated discovery, and in which encoding. */

import { covers, parseAccept } from "../negotiation/accept.ts";
import type { Chosen } from "../negotiation/choose.ts";
import type { Offer } from "../negotiation/media.ts";

export const aggregatedKind = "APIGroupDiscoveryList";
export const aggregatedVersion = "v2";

/**
 * As in the reference, an alternative with these parameters wins over all others, whatever its position and quality.
 * Undefined: there is none.
 */
export function chooseAggregated(accept: string | undefined, offer: Offer, group: string): Chosen | undefined {
  if (accept === undefined || !accept.includes(aggregatedKind)) return undefined;
  for (const alternative of parseAccept(accept)) {
    const { parameters } = alternative;
    const isOurs = parameters.get("g") === group && parameters.get("v") === aggregatedVersion;
    if (!isOurs || parameters.get("as") !== aggregatedKind) continue;
    const found = offer.find(({ type }) => covers(alternative, type));
    if (found === undefined) continue;
    const pretty = parameters.get("pretty") === "1";
    return {
      representation: { encoding: found.encoding, view: "", viewVersion: "", pretty },
      type: `${found.type};g=${group};v=${aggregatedVersion};as=${aggregatedKind}`,
    };
  }
  return undefined;
}
