/** endpoint: every service with a selector has an Endpoints object with the addresses of its pods. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { followServices, hasSelector, selectorOf } from "../parts/services/follow.ts";
import { createTriggerTimes } from "../parts/services/trigger-time.ts";
import { messageOf } from "../plan.ts";
import { endpointKeys, planEndpoints } from "./reconcile.ts";

export const endpointController: Controller = {
  name: "endpoint",
  account: "endpoint-controller",
  start: startEndpoints,
};

function startEndpoints(context: ControllerContext) {
  const { client, informers, settings } = context;
  const services = informers.of(Service);
  const endpoints = informers.of(Endpoints);
  const pods = informers.of(Pod);
  const recorder = context.recorder("endpoint-controller");
  const times = createTriggerTimes();
  const keys = endpointKeys(context.vocabulary);
  const resource = client.of(Endpoints);

  const queue = context.queue({
    workers: settings.concurrentEndpointSyncs,
    after: [services, endpoints, pods],
    retriesMax: 15,
    async sync(key) {
      const service = services.get(key);
      if (service === undefined) return await remove(key);
      if (service.spec?.type === "ExternalName" || !hasSelector(service)) return;
      const selected = pods.select(service.metadata.namespace, selectorOf(service));
      const triggerTime = times.take(service, selected);
      const current = endpoints.get(key);
      const next = planEndpoints({ service, pods: selected, current, triggerTime }, keys);
      if (next !== undefined) await write(service, next, current === undefined);
    },
  });

  async function write(service: Service, next: Endpoints, isNew: boolean): Promise<void> {
    try {
      await (isNew ? resource.create(next) : resource.update(next));
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const verb = isNew ? "create" : "update";
      if (!hasReason(error, "Conflict")) {
        const reason = isNew ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint";
        const message = `Failed to ${verb} endpoint for service ${keyOf(service)}: ${messageOf(error)}`;
        recorder.event({ ...next, apiVersion: "v1", kind: "Endpoints" }, "Warning", reason, message);
      }
      throw error;
    }
  }

  /** Of a service that is gone. */
  async function remove(key: string): Promise<void> {
    times.forget(key);
    if (endpoints.get(key) === undefined) return;
    try {
      await resource.delete(splitKey(key), { reason: "its service is gone" });
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
  }

  followServices({
    services,
    pods,
    changed: (key, isPod) => queue.addAfter(key, isPod ? settings.endpointUpdatesBatchPeriodMs : 0),
  });
  // An object that was deleted by hand is recreated.
  endpoints.on({ delete: (object) => queue.add(keyOf(object)) });
  return queue;
}
