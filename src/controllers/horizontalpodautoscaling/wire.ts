/** horizontalpodautoscaling: the number of replicas of a target follows its metrics. */

import { HorizontalPodAutoscaler as AutoscalerV2 } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import type { Controller } from "../contract.ts";
import { enqueueAll } from "../enqueue.ts";
import { messageOf } from "../plan.ts";
import { createObserver } from "./observe.ts";
import { type Memory, newMemory } from "./pace.ts";
import { planAutoscaler } from "./reconcile.ts";

export const horizontalPodAutoscalingController: Controller = {
  name: "horizontalpodautoscaling",
  account: "horizontal-pod-autoscaler",
  start(context) {
    const { client, informers, clock, log, settings } = context;
    const kind = context.has("autoscalingV2") ? AutoscalerV2 : HorizontalPodAutoscaler;
    const autoscalers = informers.of(kind);
    const pods = informers.of(Pod);
    const observe = createObserver({ client, pods, settings });
    const memories = new Map<string, Memory>();
    const queue = context.queue({
      workers: 1, // as v1.21
      component: "horizontal-pod-autoscaler",
      after: [autoscalers, pods],
      async sync(key) {
        const autoscaler = autoscalers.get(key);
        if (autoscaler === undefined) return void memories.delete(key);
        const reviewInMs = settings.horizontalPodAutoscalerSyncPeriodMs;
        // Metrics and targets change; the next round is soon.
        const observed = await observe(autoscaler, clock.now()).catch((error: unknown) => {
          log.debug("an autoscaler could not act", { object: key, error: messageOf(error) });
        });
        if (observed === undefined) return { reviewInMs };
        const memory = memories.get(key) ?? newMemory();
        memories.set(key, memory);
        const downscaleStabilizationMs = settings.horizontalPodAutoscalerDownscaleStabilizationMs;
        const input = { kind, autoscaler, observed, memory, downscaleStabilizationMs, nowMs: clock.now() };
        return { reviewInMs, next: () => planAutoscaler(input) };
      },
    });
    autoscalers.on({
      ...enqueueAll(queue),
      update(autoscaler, old) {
        // Changes of the status are its own.
        if (!sameValue(autoscaler.spec, old.spec)) queue.add(keyOf(autoscaler));
      },
    });
    return queue;
  },
};
