/** endpointslicemirroring: mirrors Endpoints of services without a selector to slices. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Service } from "../../api/core/v1/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { createExpectations } from "../parts/pods/expectations.ts";
import { sliceKeys } from "../parts/slices/keys.ts";
import { managedSlices } from "../parts/slices/managed-slices.ts";
import { writeSlices } from "../parts/slices/write.ts";
import { planMirror } from "./reconcile.ts";

export const endpointSliceMirroringController: Controller = {
  name: "endpointslicemirroring",
  account: "endpointslicemirroring-controller",
  start: startMirroring,
};

function startMirroring(context: ControllerContext) {
  const { client, informers, settings } = context;
  const services = informers.of(Service);
  const endpoints = informers.of(Endpoints);
  const slices = informers.of(EndpointSlice);
  const recorder = context.recorder("endpoint-slice-mirroring-controller");
  const expectations = createExpectations(context.clock);
  const keys = sliceKeys(context.vocabulary);
  const mirrors = managedSlices(slices, keys, keys.mirroring);

  const queue = context.queue({
    name: "endpoint_slice_mirroring",
    workers: settings.mirroringConcurrentServiceEndpointSyncs,
    after: [services, endpoints, slices],
    retriesMax: 15,
    async sync(key) {
      if (!expectations.satisfied(key)) return;
      const object = endpoints.get(key);
      const plan = planMirror(object, services.get(key), mirrors.of(key), {
        keys,
        addressesMax: settings.mirroringMaxEndpointsPerSubset,
        owner: typeOf(endpoints.address),
      });
      if (object !== undefined) {
        for (const event of plan.events) recorder.event(object, event.type, event.reason, event.message);
      }
      await writeSlices(key, plan, { client: client.of(EndpointSlice), expectations });
    },
  });

  const add = (object: Endpoints | Service) => queue.add(keyOf(object));
  const addLater = (object: Endpoints) =>
    queue.addAfter(keyOf(object), settings.mirroringEndpointsliceUpdatesBatchPeriodMs);
  endpoints.on({ add: addLater, update: addLater, delete: add });
  services.on({ add, update: add, delete: add });
  mirrors.follow(queue, expectations);
  return queue;
}
