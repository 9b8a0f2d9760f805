/** The topology of endpoints as labels: v1 has fields for two of them, and only keeps the others. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { Endpoint } from "./endpoint.ts";

export const zoneLabel = "topology.orch.io/zone";
export const hostnameLabel = "orch.io/hostname";

/**
 * Through v1 a topology is not written: it goes as soon as endpoints change. The node that it named stays, so that a
 * writer who knows only v1 does not lose it.
 */
export function dropNewTopology(
  endpoints: readonly Endpoint[] | null,
  old: readonly Endpoint[] | null | undefined,
  { vocabulary }: Environment,
): void {
  if (old !== undefined && sameValue(endpoints, old)) return;
  const label = vocabulary.word(hostnameLabel);
  const before = new Set((old ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[label]));
  for (const endpoint of endpoints ?? []) {
    const node = endpoint.deprecatedTopology?.[label];
    if (endpoint.nodeName === undefined && node !== undefined && before.has(node)) {
      if (isDns1123Subdomain(node).length === 0) endpoint.nodeName = node;
    }
    delete endpoint.deprecatedTopology;
  }
}
