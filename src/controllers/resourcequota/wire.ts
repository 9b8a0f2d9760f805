/** resourcequota: the status of every quota says its limits and how much of them is used. */

import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import { inTimeSlices } from "../../base/time-slice.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import type { Controller } from "../contract.ts";
import { QuotaMemory } from "./memory.ts";
import { freedBy, planQuota } from "./reconcile.ts";
import { createSources } from "./sources.ts";

/** Released usage is counted soon. New usage was counted at admission, and is only verified. */
const releasedMs = 20;
const checkMs = 1_000;

export const resourceQuotaController: Controller = {
  name: "resourcequota",
  account: "resourcequota-controller",
  start(context) {
    const { informers, settings, clock } = context;
    const quotas = informers.of(ResourceQuota);
    const memory = new QuotaMemory(clock);
    const sources = createSources(context, ({ namespace, source, old, next }) => {
      const freed = old && freedBy(source, old, next);
      for (const quota of quotas.list(namespace)) {
        if (freed !== undefined) memory.addFreed(keyOf(quota), freed(quota));
        queue.addAfter(keyOf(quota), freed === undefined ? checkMs : releasedMs);
      }
    });
    const queue = context.queue({
      workers: settings.concurrentResourceQuotaSyncs,
      after: [quotas],
      onlyPlans: true,
      async sync(key) {
        const wanted = quotas.get(key);
        if (wanted === undefined) return;
        const found = await sources.of(Object.keys(wanted.spec?.hard ?? {}));
        await Promise.all(found.map(({ synced }) => synced));
        const quota = quotas.get(key);
        if (quota === undefined) return;
        const { namespace = "" } = quota.metadata;
        const counted = found.map((source) => ({ ...source, ...source.of(namespace) }));
        return await inTimeSlices(planQuota(key, quota, counted, memory));
      },
    });
    quotas.on({
      add: (quota) => queue.add(keyOf(quota)),
      delete: (quota) => memory.forget(keyOf(quota)),
      update(quota, old) {
        memory.changed(keyOf(quota));
        // A use that others write is only checked: admission does so with every object.
        queue.addAfter(keyOf(quota), sameJson(quota.spec, old.spec) ? checkMs : 0);
      },
    });
    context.every(settings.resourceQuotaSyncPeriodMs, () => {
      for (const quota of quotas.list()) queue.add(keyOf(quota));
    });
    return queue;
  },
};
