/** Writes changes of slices; both controllers that manage some do it in the same order. */

import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import type { ResourceClient } from "../../../client/contract.ts";
import { keyOf, splitKey } from "../../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../../client/requests/send.ts";
import type { Expectations } from "../pods/expectations.ts";
import type { SliceChanges } from "./slice-set.ts";

export interface SliceWriter {
  readonly client: ResourceClient<EndpointSlice>;
  /** Slices have generated names, so one that is not yet in the cache would be created twice. */
  readonly expectations: Expectations;
}

/** `key`: the owner of the slices. */
export async function writeSlices(
  key: string,
  changes: SliceChanges,
  { client, expectations }: SliceWriter,
): Promise<void> {
  for (const slice of changes.create) {
    expectations.expectCreations(key, 1);
    try {
      await client.create(slice);
    } catch (error) {
      expectations.creationObserved(key);
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
  }
  for (const slice of changes.update) await client.update(slice);
  for (const slice of changes.delete) {
    try {
      await client.delete(splitKey(keyOf(slice)), { reason: "no endpoints are left for it" });
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
  }
}

/** With the time of the change that caused the write. */
export function withTriggerTime(slice: EndpointSlice, key: string, time: string | undefined): EndpointSlice {
  const { [key]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = time === undefined ? others : { ...others, [key]: time };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
