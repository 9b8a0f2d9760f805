/** service-cidr: ranges of service addresses say whether they are ready, and stay while addresses of theirs are in use. */

import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { planRange } from "./reconcile.ts";

export const serviceCidr: Controller = {
  name: "service-cidr",
  since: "1.29",
  account: "service-cidrs-controller",
  start({ informers, vocabulary, clock, queue: createQueue, has }) {
    if (!has("serviceRanges")) return undefined;
    const ranges = informers.of(ServiceCIDR);
    const addresses = informers.of(IPAddress);
    const managedBy = vocabulary.word("ipaddress.orch.io/managed-by");
    const allocator = vocabulary.word("ipallocator.orch.io");
    const isGivenOut = ({ metadata }: IPAddress) => metadata.labels?.[managedBy] === allocator;
    const finalizer = vocabulary.word("networking.orch.io/service-cidr-finalizer");
    const queue = createQueue({
      workers: 5,
      after: [ranges, addresses],
      sync(name) {
        const range = ranges.get(name);
        if (range === undefined) return;
        const others = ranges.list().filter((each) => each !== range);
        const names = isDeleting(range) ? addresses.list().filter(isGivenOut).map(keyOf) : [];
        return planRange({ range, others, addresses: names, finalizer, nowMs: clock.now() });
      },
    });
    // There are few ranges, and only those that are being deleted wait for something.
    const enqueueDeleted = () => {
      for (const range of ranges.list()) if (isDeleting(range)) queue.add(keyOf(range));
    };
    const changed = (range: ServiceCIDR) => {
      queue.add(keyOf(range));
      enqueueDeleted();
    };
    ranges.on({ add: changed, update: changed, delete: enqueueDeleted });
    addresses.on({ delete: enqueueDeleted });
    return queue;
  },
};
