/** endpoint: every service with a selector has an Endpoints object with the addresses of its pods. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import { inTimeSlices } from "../../base/time-slice.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { createPodSelection, followServices, hasSelector } from "../parts/services/follow.ts";
import { createTriggerTimes } from "../parts/services/trigger-time.ts";
import { remove } from "../plan.ts";
import { endpointKeys, planEndpoints } from "./reconcile.ts";

export const endpointController: Controller = {
  name: "endpoint",
  account: "endpoint-controller",
  start(context) {
    const { informers, settings } = context;
    const services = informers.of(Service);
    const endpoints = informers.of(Endpoints);
    const pods = informers.of(Pod);
    const times = createTriggerTimes();
    const keys = endpointKeys(context.vocabulary, context.has);
    const podsOf = createPodSelection(pods, keys.hasEnded);
    const queue = context.queue({
      workers: settings.concurrentEndpointSyncs,
      component: "endpoint-controller",
      after: [services, endpoints, pods],
      retriesMax: 15,
      sizeOf: (key) => addressCount(endpoints.get(key)),
      onlyPlans: true,
      sync(key) {
        const service = services.get(key);
        const current = endpoints.get(key);
        if (service === undefined) {
          times.forget(key);
          return current && { writes: [remove(Endpoints, splitKey(key), { reason: "its service is gone" })] };
        }
        if (service.spec?.type === "ExternalName" || !hasSelector(service)) return;
        const selected = podsOf(service);
        const triggerTime = times.take(service, selected);
        return inTimeSlices(planEndpoints({ service, pods: selected, current, triggerTime }, keys));
      },
    });
    followServices({
      services,
      pods,
      changed: (key, isPod) => queue.addAfter(key, isPod ? settings.endpointUpdatesBatchPeriodMs : 0),
    });
    // An object that was deleted by hand is recreated.
    endpoints.on({ delete: (object) => queue.add(keyOf(object)) });
    return queue;
  },
};

const addressCount = (endpoints: Endpoints | undefined): number =>
  (endpoints?.subsets ?? []).reduce(
    (sum, { addresses = [], notReadyAddresses = [] }) => sum + addresses.length + notReadyAddresses.length,
    0,
  );
