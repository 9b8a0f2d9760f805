/** The plan for changes of slices; both controllers that manage some write them in the same order. */

import { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { keyOf, splitKey } from "../../../client/informer/keys.ts";
import { isNamespaceTerminating } from "../../../client/requests/send.ts";
import { create, type Plan, remove, update } from "../../plan.ts";
import type { Expectations } from "../pods/expectations.ts";
import type { SliceChanges } from "./slice-set.ts";

/**
 * `key`: the owner of the slices. They have generated names, so one that is not yet in the cache would be created twice: each is
 * expected before it is created.
 */
export function planSliceWrites(key: string, changes: SliceChanges, expectations: Expectations): Plan {
  const [slice, ...others] = changes.create;
  if (slice !== undefined) {
    expectations.expectCreations(key, 1);
    return {
      writes: [create(EndpointSlice, slice)],
      next: () => planSliceWrites(key, { ...changes, create: others }, expectations),
      failed(error) {
        expectations.creationObserved(key);
        return isNamespaceTerminating(error) ? { recovered: true } : undefined;
      },
    };
  }
  // Its deletion, of which the cache learns in a moment, starts the next pass.
  const gone = { tolerates: ["NotFound"] } as const;
  const reason = "no endpoints are left for it";
  return {
    writes: [
      ...changes.update.map((each) => update(EndpointSlice, each, gone)),
      ...changes.delete.map((each) => remove(EndpointSlice, splitKey(keyOf(each)), { reason })),
    ],
  };
}

/** With the time of the change that caused the write. */
export function withTriggerTime(slice: EndpointSlice, key: string, time: string | undefined): EndpointSlice {
  const { [key]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = time === undefined ? others : { ...others, [key]: time };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
