/** How many addresses an Endpoints object may have. */

import type { EndpointSubset } from "../../api/core/v1/endpoints.ts";

/** An object with more addresses than this is marked: readers may not be able to handle it. */
export const endpointsCapacity = 1_000;

type AddressList = "addresses" | "notReadyAddresses";

const countOf = (subsets: readonly EndpointSubset[], list: AddressList): number =>
  subsets.reduce((sum, subset) => sum + (subset[list]?.length ?? 0), 0);

export const isOverCapacity = (subsets: readonly EndpointSubset[]): boolean =>
  countOf(subsets, "addresses") + countOf(subsets, "notReadyAddresses") > endpointsCapacity;

/**
 * At most `endpointsCapacity` addresses: those that are ready first, and of those that do not all fit a share of each subset in proportion
 * to its size. Shares are rounded up, so that the last subset may get less than its share.
 */
export function truncateSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  if (!isOverCapacity(subsets)) return [...subsets];
  const ready = countOf(subsets, "addresses");
  if (ready > endpointsCapacity)
    return share(subsets, "addresses", endpointsCapacity).map(({ notReadyAddresses: _, ...subset }) => subset);
  return share(subsets, "notReadyAddresses", endpointsCapacity - ready);
}

function share(subsets: readonly EndpointSubset[], list: AddressList, capacity: number): EndpointSubset[] {
  const total = countOf(subsets, list);
  let left = capacity;
  return subsets.map(({ [list]: addresses = [], ...subset }) => {
    const kept = addresses.slice(0, Math.min(left, Math.ceil((addresses.length / total) * capacity)));
    left -= kept.length;
    return kept.length === 0 ? subset : { ...subset, [list]: kept };
  });
}
