/** endpointslicemirroring: mirrors Endpoints of services without a selector to slices. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Service } from "../../api/core/v1/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { inTimeSlices } from "../../base/time-slice.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { enqueueAll } from "../enqueue.ts";
import { createExpectations } from "../parts/pods/expectations.ts";
import { sliceKeys } from "../parts/slices/keys.ts";
import { managedSlices } from "../parts/slices/managed-slices.ts";
import { planSliceWrites } from "../parts/slices/write.ts";
import { planMirror } from "./reconcile.ts";

export const endpointSliceMirroringController: Controller = {
  name: "endpointslicemirroring",
  account: "endpointslicemirroring-controller",
  start(context) {
    const { informers, settings } = context;
    const services = informers.of(Service);
    const endpoints = informers.of(Endpoints);
    const slices = informers.of(EndpointSlice);
    const expectations = createExpectations(context.clock);
    const keys = sliceKeys(context.vocabulary);
    const mirrors = managedSlices(slices, keys, keys.mirroring);
    const queue = context.queue({
      name: "endpoint_slice_mirroring",
      workers: settings.mirroringConcurrentServiceEndpointSyncs,
      component: "endpoint-slice-mirroring-controller",
      after: [services, endpoints, slices],
      retriesMax: 15,
      async sync(key) {
        if (!expectations.satisfied(key)) return;
        const object = endpoints.get(key);
        const addressesMax = settings.mirroringMaxEndpointsPerSubset;
        const at = { keys, addressesMax, owner: typeOf(endpoints.address) };
        const { events, ...changes } = await inTimeSlices(planMirror(object, services.get(key), mirrors.of(key), at));
        const next = () => planSliceWrites(key, changes, expectations);
        return object === undefined ? next() : { about: object, events, next };
      },
    });
    const addLater = (object: Endpoints) =>
      queue.addAfter(keyOf(object), settings.mirroringEndpointsliceUpdatesBatchPeriodMs);
    endpoints.on({ ...enqueueAll(queue), add: addLater, update: addLater });
    services.on(enqueueAll(queue));
    mirrors.follow(queue, expectations);
    return queue;
  },
};
