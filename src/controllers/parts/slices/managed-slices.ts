/** The slices that one of the two slice controllers manages, by the service that they belong to. */

import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import type { WorkQueue } from "../../../base/queue/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import type { Expectations } from "../pods/expectations.ts";
import { isDeleting } from "../pods/state.ts";
import type { SliceKeys } from "./keys.ts";

interface ManagedSlices {
  /** Those of the service with this key that are not terminating. */
  of(key: string): readonly EndpointSlice[];
  /** Enqueues the service of every slice that changes, and lowers its expectations. */
  follow(queue: WorkQueue, expectations: Expectations): void;
}

/** `manager`: the value of the label `keys.managedBy`. */
export function managedSlices(slices: Informer<EndpointSlice>, keys: SliceKeys, manager: string): ManagedSlices {
  /** Undefined: another controller manages the slice. */
  const serviceOf = ({ metadata: { labels, namespace } }: EndpointSlice) =>
    labels?.[keys.managedBy] === manager ? `${namespace}/${labels[keys.serviceName]}` : undefined;
  const byService = slices.index(`managed by ${manager}`, (slice) => [serviceOf(slice) ?? ""]);
  return {
    of: (key) => byService.get(key).filter((slice) => !isDeleting(slice)),
    follow(queue, expectations) {
      const enqueue = (slice: EndpointSlice) => {
        const key = serviceOf(slice);
        if (key !== undefined) queue.add(key);
      };
      slices.on({
        add(slice) {
          const key = serviceOf(slice);
          if (key !== undefined) expectations.creationObserved(key);
          enqueue(slice);
        },
        update(slice, old) {
          enqueue(slice);
          enqueue(old);
        },
        delete: enqueue,
      });
    },
  };
}
