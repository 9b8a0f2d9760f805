/** endpointslice: every service with a selector has slices with the addresses of its pods. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { createExpectations } from "../parts/pods/expectations.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { followServices, hasSelector, selectorOf, selects } from "../parts/services/follow.ts";
import { createTriggerTimes } from "../parts/services/trigger-time.ts";
import { sliceKeys } from "../parts/slices/keys.ts";
import { managedSlices } from "../parts/slices/managed-slices.ts";
import { withTriggerTime, writeSlices } from "../parts/slices/write.ts";
import { messageOf } from "../plan.ts";
import { planSlices } from "./reconcile.ts";

export const endpointSliceController: Controller = {
  name: "endpointslice",
  account: "endpointslice-controller",
  start: startSlices,
};

function startSlices(context: ControllerContext) {
  const { client, informers, settings, gates } = context;
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  const recorder = context.recorder("endpoint-slice-controller");
  const times = createTriggerTimes();
  const expectations = createExpectations(context.clock);
  const keys = sliceKeys(context.vocabulary);
  const managed = managedSlices(slices, keys, keys.controller);

  const queue = context.queue({
    name: "endpoint_slice",
    workers: settings.concurrentServiceEndpointSyncs,
    after: [services, slices, pods, nodes],
    retriesMax: 15,
    async sync(key) {
      const service = services.get(key);
      // Slices of a service that is gone are garbage.
      if (service === undefined) return forget(key);
      if (service.spec?.type === "ExternalName" || !hasSelector(service)) return;
      if (!expectations.satisfied(key)) return;
      try {
        await sync(key, service);
      } catch (error) {
        if (!hasReason(error, "Conflict")) {
          const message = `Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`;
          recorder.event(service, "Warning", "FailedToUpdateEndpointSlices", message);
        }
        throw error;
      }
    },
  });

  async function sync(key: string, service: Service): Promise<void> {
    const selected = pods.select(service.metadata.namespace, selectorOf(service));
    const triggerTime = times.take(service, selected);
    const changes = planSlices(
      {
        service,
        pods: selected,
        nodeOf: (name) => nodes.get(name),
        slices: managed.of(key),
      },
      {
        keys,
        endpointsMax: settings.maxEndpointsPerSlice,
        tellsTerminating: gates.enabled("EndpointSliceTerminatingCondition"),
        owner: typeOf(services.address),
      },
    );
    const timed = (slice: EndpointSlice) => withTriggerTime(slice, keys.triggerTime, triggerTime);
    // New slices of a terminating service would only be garbage collected.
    const create = isDeleting(service) ? [] : changes.create.map(timed);
    const writer = { client: client.of(EndpointSlice), expectations };
    await writeSlices(key, { create, update: changes.update.map(timed), delete: changes.delete }, writer);
  }

  function forget(key: string): void {
    times.forget(key);
    expectations.forget(key);
  }

  followServices({
    services,
    pods,
    changed: (key, isPod) => queue.addAfter(key, isPod ? settings.endpointsliceUpdatesBatchPeriodMs : 0),
  });
  managed.follow(queue, expectations);
  // A pod waits for its node, by which its zone is known.
  const podsOfNode = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  const tellServices = (node: Node) => {
    for (const { metadata } of podsOfNode.get(node.metadata.name ?? "")) {
      for (const service of services.list(metadata.namespace)) {
        if (selects(service, metadata.labels)) queue.add(keyOf(service));
      }
    }
  };
  nodes.on({
    add: tellServices,
    update(node, old) {
      if (node.metadata.labels?.[keys.zone] !== old.metadata.labels?.[keys.zone]) tellServices(node);
    },
  });
  return queue;
}
