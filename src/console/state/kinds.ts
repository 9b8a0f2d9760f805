/** The kinds that can be listed, and which of them a word means. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";

export const listable = (discovery: Discovery): DiscoveredResource[] =>
  discovery.preferred.filter(({ verbs }) => verbs.includes("list"));

/** The best match first: what the command line would take, then names that begin with the word, then those that have it. */
export function matchingKinds(discovery: Discovery, word: string): DiscoveredResource[] {
  const lower = word.trim().toLowerCase();
  if (lower === "") return listable(discovery);
  const exact = discovery.find(lower);
  const rank = ({ resource, kind, group, version, shortNames }: DiscoveredResource): number => {
    if (exact?.resource === resource && exact.group === group && exact.version === version) return 0;
    if (shortNames.includes(lower)) return 1;
    if (resource.startsWith(lower) || kind.toLowerCase().startsWith(lower)) return 2;
    return `${resource}.${group}`.includes(lower) ? 3 : 4;
  };
  return listable(discovery)
    .map((resource) => ({ resource, rank: rank(resource) }))
    .filter(({ rank }) => rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .map(({ resource }) => resource);
}
