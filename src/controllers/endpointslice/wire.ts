/** endpointslice: every service with a selector has slices with the addresses of its pods. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { typeOf } from "../../client/contract.ts";
import type { Controller } from "../contract.ts";
import { createExpectations } from "../parts/pods/expectations.ts";
import { createPodSelection, followServices, followZones, hasSelector } from "../parts/services/follow.ts";
import { createTriggerTimes } from "../parts/services/trigger-time.ts";
import { sliceKeys } from "../parts/slices/keys.ts";
import { managedSlices } from "../parts/slices/managed-slices.ts";
import { planSliceWrites } from "../parts/slices/write.ts";
import { createZoneHints } from "../parts/slices/zone-hints.ts";
import { whenFailed } from "../plan.ts";
import { createHintEvents } from "./hint-events.ts";
import { planSlices, reportFailure } from "./reconcile.ts";

export const endpointSliceController: Controller = {
  name: "endpointslice",
  account: "endpointslice-controller",
  start(context) {
    const { informers, settings, gates } = context;
    const [services, slices] = [informers.of(Service), informers.of(EndpointSlice)];
    const [pods, nodes] = [informers.of(Pod), informers.of(Node)];
    const [times, told, expectations] = [createTriggerTimes(), createHintEvents(), createExpectations(context.clock)];
    const [keys, hasEnded] = [sliceKeys(context.vocabulary), context.has("endedEndpoints")];
    const tellsTerminating = gates.enabled("EndpointSliceTerminatingCondition");
    const [managed, podsOf] = [managedSlices(slices, keys, keys.controller), createPodSelection(pods, hasEnded)];
    const hints = createZoneHints({ services, nodes, keys, isOn: context.has("zoneHints") });
    const queue = context.queue({
      name: "endpoint_slice",
      workers: settings.concurrentServiceEndpointSyncs,
      component: "endpoint-slice-controller",
      after: [services, slices, pods, nodes],
      retriesMax: 15,
      sizeOf: (key) => managed.of(key).reduce((sum, { endpoints }) => sum + (endpoints ?? []).length, 0),
      onlyPlans: true,
      async sync(key) {
        const service = services.get(key);
        // Slices of a service that is gone are garbage.
        if (service === undefined) return [times, told, expectations].forEach((memory) => void memory.forget(key));
        if (service.spec?.type === "ExternalName" || !hasSelector(service) || !expectations.satisfied(key)) return;
        const state = { service, pods: podsOf(service), nodes, slices: managed.of(key), ...hints.of(service) };
        const own = { keys, owner: typeOf(services.address), endpointsMax: settings.maxEndpointsPerSlice };
        const at = { ...own, tellsTerminating, hasEnded, publishesUnplaced: context.has("unplacedEndpoints") };
        const changes = await planSlices(state, at, times.take(service, state.pods));
        const plan = told.withEvents(planSliceWrites(key, changes, expectations), service, changes.hints);
        return whenFailed(plan, reportFailure(service));
      },
    });
    const delayMs = (isPod: boolean) => (isPod ? settings.endpointsliceUpdatesBatchPeriodMs : 0);
    followServices({ services, pods, changed: (key, isPod) => queue.addAfter(key, delayMs(isPod)) });
    followZones({ services, pods, nodes, zoneLabel: keys.zone, changed: (key) => queue.add(key) });
    hints.follow((key) => queue.add(key));
    managed.follow(queue, expectations);
    return queue;
  },
};
